use super::*;

#[test]
fn a_terminal_is_told_nothing() {
    assert_eq!(shown("a\x1b[2Jb\n\u{202e}c", 100), "a [2Jb  c");
    assert_eq!(shown("äöü", 3), "ä");
}

/// Two groups of a host were told by one name, of which one had a character that nobody sees.
#[test]
fn a_name_with_characters_that_nobody_sees_read_as_another() {
    assert_eq!(shown("nginx\u{200b}.service\u{feff}", 100), "nginx .service ");
    assert_eq!(shown("a\u{2028}b\u{61c}c\u{e0041}", 100), "a b c ");
    assert_eq!(shown("größer – 文字 🦀", 100), "größer – 文字 🦀");
}

#[test]
fn a_secret_is_not_shown() {
    assert_eq!(shown_without_secrets("token=4d1f\x07 x", 100), "token=… x");
    assert_eq!(shown_without_secrets(&format!("a password={}", "4".repeat(900)), 100), "a password=…");
}
