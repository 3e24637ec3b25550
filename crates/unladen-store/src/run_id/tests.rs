//! Tests of [`RunId`].

use super::*;

#[test]
fn a_number_is_read_strictly() {
    assert_eq!("12".parse(), Ok(RunId::new(12).unwrap()));
    assert_eq!("012".parse::<RunId>().unwrap().to_string(), "12");
    for text in ["", "0", "-1", "+1", "1.0", " 1", "x", "9223372036854775808", "99999999999999999999999", "١"] {
        let error = text.parse::<RunId>().unwrap_err().to_string();
        assert_eq!(
            error,
            format!("`{text}` is not the number of a run: write one that `unladen runs` shows, such as 12")
        );
    }
    assert_eq!("9223372036854775807".parse::<RunId>().unwrap().column(), i64::MAX);
    assert_eq!((RunId::of_column(0), RunId::of_column(-5)), (None, None));
}
