use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn written(bytes: &[u8], limit: usize) -> (String, bool) {
    let mut into = Vec::new();
    let whole = string(bytes, limit, &mut into);
    (String::from_utf8(into).unwrap(), whole)
}

#[test]
fn what_is_escaped() {
    assert_eq!(written(b"a\"b\\c\n\r\t\x00\x1b[2J\x7f", 100).0, r#""a\"b\\c\n\r\t\u0000\u001b[2J\u007f""#);
    assert_eq!(written("\u{9b}2J \u{a0}é🦢".as_bytes(), 100).0, "\"\\u009b2J \u{a0}é🦢\"");
    assert_eq!(written(b"a\xff\xfeb\xe2\x82", 100).0, "\"a\u{fffd}\u{fffd}b\u{fffd}\"");
}

#[test]
fn the_limit_cuts_no_character_and_no_escape() {
    assert_eq!(written("aé".as_bytes(), 2), ("\"a\"".to_owned(), false));
    assert_eq!(written("aé".as_bytes(), 3), ("\"aé\"".to_owned(), true));
    assert_eq!(written(b"a\x00", 6), ("\"a\"".to_owned(), false));
    assert_eq!(written(b"a\xff", 3), ("\"a\"".to_owned(), false));
    assert_eq!(written(b"a", 0), ("\"\"".to_owned(), false));
}

proptest! {
    #[test]
    fn any_bytes_make_a_string_that_is_read_back(bytes: Vec<u8>, limit in 0_usize..300) {
        let (text, whole) = written(&bytes, limit);
        prop_assert!(text.len() <= limit + 2);
        prop_assert!(!text.contains(|c: char| c.is_control()));
        let Value::String(read) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
        let expected = String::from_utf8_lossy(&bytes);
        let is_right = if whole { read == expected } else { expected.starts_with(&read) };
        prop_assert!(is_right, "{read}");
    }
}
