use proptest::prelude::*;

use super::*;

#[test]
fn labels_are_read_as_they_are_typed() {
    let read = |text: &str| read_label(text).map(|(key, value)| format!("{key} is {value}"));
    assert_eq!(read("release=1.43").unwrap(), "release is 1.43");
    assert_eq!(read("app/php-fpm_8.2=on=off, ü").unwrap(), "app/php-fpm_8.2 is on=off, ü");
    assert_eq!(read("empty=").unwrap(), "empty is ");
}

#[test]
fn what_is_no_label_says_what_to_write() {
    let said = |text: &str| read_label(text).unwrap_err().to_string();
    insta::assert_snapshot!(said("release"), @"the label `release` has no value: write KEY=VALUE, such as release=1.43");
    insta::assert_snapshot!(said("=1"), @"the label's key `` is not a name: write a letter, then letters, digits, \
        `_`, `.`, `-` or `/`, at most 64");
    insta::assert_snapshot!(said("a\u{1b} b=1"), @r"the label's key `a\u{1b} b` is not a name: write a letter, then letters, digits, `_`, `.`, `-` or `/`, at most 64");
    insta::assert_snapshot!(said("a=b\nc"), @"the value of the label `a` has a control character (a line break, say): leave it out");
    insta::assert_snapshot!(said(&format!("a={}", "ü".repeat(129))), @"the value of the label `a` has 258 bytes: \
        write at most 256");
    assert!(said(&format!("{}=1", "k".repeat(LABEL_KEY_BYTES + 1))).contains("at most 64"));
    assert!(said("ключ=1").contains("is not a name"));
}

proptest! {
    #[test]
    fn what_is_read_is_a_label_and_nothing_else(text in "\\PC{0,100}|[a-z]{1,70}=.{0,300}") {
        match read_label(&text) {
            Ok((key, value)) => {
                prop_assert_eq!(format!("{key}={value}"), text);
                prop_assert!(check(&key, &value).is_ok() && !key.contains('='));
            }
            Err(error) => prop_assert!(error.to_string().chars().count() < 1000),
        }
    }
}
