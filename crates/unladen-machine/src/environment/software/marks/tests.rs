use proptest::prelude::*;

use super::*;

#[test]
fn a_version_stands_after_or_before_its_mark() {
    let php = b"\0X-Powered-By: PHP/\0%s\0X-Powered-By: PHP/8.2.36\0";
    assert_eq!(find(php, Mark::After("X-Powered-By: PHP/")).as_deref(), Some("8.2.36"));
    assert_eq!(find(b"\x0010.11.19-MariaDB\0", Mark::Before("-MariaDB")).as_deref(), Some("10.11.19"));
}

#[test]
fn half_a_version_is_none() {
    for text in ["nginx/", "nginx/1", "nginx/1.", "nginx/.2", "nginx/1..2"] {
        assert_eq!(find(text.as_bytes(), Mark::After("nginx/")), None, "{text}");
    }
    assert_eq!(find(b"-MariaDB", Mark::Before("-MariaDB")), None);
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic_or_say_more_than_digits(
        before in prop::collection::vec(any::<u8>(), 0..60), after in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let bytes = [&before[..], b"nginx/", &after[..]].concat();
        for mark in [Mark::After("nginx/"), Mark::Before("nginx/"), Mark::None] {
            let found = find(&bytes, mark);
            prop_assert!(found.is_none_or(|found| found.chars().all(|c| c.is_ascii_digit() || c == '.')));
        }
    }
}
