use super::*;

/// Thousands of numbers stood on one line.
#[test]
fn numbers_in_a_row_are_told_by_their_ends() {
    assert_eq!(ranges(vec![7, 1, 3, 2]), "1 to 3, 7");
    assert_eq!((ranges(vec![5]), ranges(Vec::new())), ("5".to_owned(), String::new()));
    assert_eq!(ranges(vec![u64::MAX]), u64::MAX.to_string());
}
