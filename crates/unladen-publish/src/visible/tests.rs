use super::*;

#[test]
fn what_nobody_sees_is_shown() {
    assert_eq!(visible("a\nb\tc\u{1b}[31m\u{7f}"), "a␊b␉c␛[31m␡");
    assert_eq!(visible("gnp.\u{202e}php\u{200b}\u{85}"), "gnp.‹U+202E›php‹U+200B›‹U+0085›");
    assert_eq!(visible_lines("a\nb\r\n"), "a\nb␍\n");
    assert_eq!(visible("größer – 文字 🦀"), "größer – 文字 🦀");
}

#[test]
fn the_rest_of_a_long_text_is_three_dots() {
    assert_eq!(shortened("größer", 6), "größer");
    assert_eq!(shortened("größer!", 6), "größe…");
}

#[test]
fn a_shell_reads_the_words_back() {
    let words = ["weigh", "-H", "Cookie: it's", "", "http://x/?a=1"].map(String::from);
    assert_eq!(command_line(&words), r"weigh -H 'Cookie: it'\''s' '' 'http://x/?a=1'");
    let command = ["unladen", "weigh", "http://[::1]/?a=1&b", "it's", "", "--time=5s"].map(str::to_owned);
    assert_eq!(command_line(&command), r"unladen weigh 'http://[::1]/?a=1&b' 'it'\''s' '' --time=5s");
}
