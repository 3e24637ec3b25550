use std::collections::BTreeSet;

use super::*;

/// A line that is missing, or one too many, would make another thing of the lines behind it.
#[test]
fn each_key_of_the_list_is_whole_and_stands_once() {
    let mut seen = BTreeSet::new();
    for key in all() {
        assert!(!key.name.is_empty() && !key.form.is_empty() && !key.about.is_empty(), "{key:?}");
        assert!(
            key.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'),
            "{key:?}"
        );
        assert!(seen.insert((key.table, key.name)), "twice: {key:?}");
    }
    let text = include_str!("../keys.txt");
    let paragraphs = || text.split("\n\n").skip(1).map(str::trim_end);
    assert!(paragraphs().all(|paragraph| matches!(paragraph.lines().count(), 1..=3)));
    assert_eq!(paragraphs().filter(|paragraph| paragraph.lines().count() > 1).count(), all().count());
    assert!(all().count() > 300);
}
