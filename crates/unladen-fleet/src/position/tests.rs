//! Tests of positions.

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn what_is_written_is_read(epoch in "[a-zA-Z0-9._-]{1,80}", index: u64) {
        let position = Position::new(&epoch, index).unwrap();
        prop_assert_eq!(position.to_string().parse::<Position>().unwrap(), position);
    }

    /// One position has one text: what is compared as text is the same.
    #[test]
    fn what_is_read_is_written_so(text in "\\PC{0,100}|[a-z0-9.]{0,4}/[0-9+]{0,22}") {
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
        }
    }
}

#[test]
fn what_is_no_position_is_none() {
    for text in ["", "/", "a/", "/1", "a/-1", "a/+1", "a/01", "a b/1", "a/1 ", "a/18446744073709551616", "a/1/2"] {
        assert!(text.parse::<Position>().is_err(), "{text}");
    }
    assert!(Position::new(&"a".repeat(81), 1).is_none());
}
