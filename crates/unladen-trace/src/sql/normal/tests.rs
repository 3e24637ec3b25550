use super::*;

#[test]
fn the_lists_are_sorted_and_no_longer_than_said() {
    for list in [KEYWORDS, OPERANDS, FUNCTIONS, CALLED] {
        assert!(list.is_sorted(), "{list:?}");
        assert!(list.iter().all(|word| word.len() <= LONGEST));
    }
}
