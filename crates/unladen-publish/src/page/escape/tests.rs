use super::*;

#[test]
fn an_address_leaves_its_attribute_by_no_character() {
    let hostile = "/trend?a=\"><script>&b='\n\u{202e}";
    assert_eq!(address(hostile).unwrap(), "/trend?a=%22%3E%3Cscript%3E&amp;b=%27%0A%E2%80%AE");
    assert_eq!(address("#findings").unwrap(), "#findings");
    assert_eq!(address(&format!("/{}", "a".repeat(LONGEST_ADDRESS))), None);
}
use proptest::prelude::*;

#[test]
fn what_has_a_meaning_is_shown_and_means_nothing() {
    assert_eq!(escaped("</script><b a='\"'>&"), "&lt;/script&gt;&lt;b a=&#39;&quot;&#39;&gt;&amp;");
    assert_eq!(escaped("\u{1b}[31m\0\r\u{7f}\u{85}"), "␛[31m␀␍␡‹U+0085›");
    assert_eq!(escaped("invoice\u{202e}fdp.exe"), "invoice‹U+202E›fdp.exe");
    assert_eq!(escaped("a\u{feff}b\u{ffff}c\u{e0041}"), "a‹U+FEFF›b‹U+FFFF›c‹U+E0041›");
}

#[test]
fn what_people_write_stays() {
    for text in ["naïve ± 0.21 µs", "مرحبا", "日本語 🦢", "SELECT 1\n\tFROM a"] {
        assert_eq!(escaped(text), text);
    }
}

#[test]
fn a_text_of_a_megabyte_is_cut_and_says_so() {
    let text = escaped(&"é".repeat(1_000_000));
    assert!(text.ends_with("é… (996000 more characters)"), "{}", &text[text.len() - 60..]);
    assert_eq!(escaped(&"x".repeat(MOST)), "x".repeat(MOST));
}

proptest! {
    #[test]
    fn no_text_is_markup(text in "\\PC*|[\\x00-\\u{ff}<>&\"']{0,40}|(?s:.{0,40})") {
        let escaped = escaped(&text);
        prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
        prop_assert!(escaped.chars().all(|c| !is_special(c) || c == '&'));
    }
}
