use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

use super::*;

/// Text that tries everything.
pub(crate) const HOSTILE: [&str; 16] = [
    "@octocat and @org/team, see #12, GH-34, !5, $6, ~bug, %v1 and &7",
    "https://evil.example/?a=1 www.evil.example me@evil.example",
    "![](https://evil.example/pixel.png) [click](javascript:alert(1))",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "a|b`c``d\\|e",
    "`; DROP TABLE x; --`",
    "# heading\n- list\n/close\n> quote",
    "/close",
    "1. one",
    "</code></td></details><h1>",
    ":smile: :+1: a:b:c",
    "\u{202e}gnp.exe\u{1b}[31m\0",
    "fixes 0123456789abcdef0123456789abcdef01234567",
    "$`\\alpha`$ $$x$$",
    "\\",
    " ",
];

/// What GitHub and GitLab know beyond CommonMark.
pub(crate) fn github() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_GFM
        | Options::ENABLE_MATH
}

/// What a page shows of it: its text, within code and outside, and everything that is neither.
fn shown(markdown: &str) -> (String, String, Vec<String>) {
    let (mut plain, mut code, mut other) = (String::new(), String::new(), Vec::new());
    let mut depth = 0_usize;
    for event in Parser::new_ext(markdown, github()) {
        match event {
            Event::Text(text) if depth > 0 => code.push_str(&text),
            Event::Text(text) => plain.push_str(&text),
            Event::Code(text) => code.push_str(&text),
            Event::InlineHtml(tag) if &*tag == "<code>" => depth += 1,
            Event::InlineHtml(tag) if &*tag == "</code>" => depth -= 1,
            Event::Start(Tag::Paragraph) | Event::End(_) | Event::SoftBreak => {}
            other_event => other.push(format!("{other_event:?}")),
        }
    }
    (plain, code, other)
}

/// What GitHub or GitLab would make a reference of, were it text: a mark, and a letter or a digit behind it.
fn references(text: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let pairs = chars.windows(2).filter(|pair| {
        let (mark, next) = (pair[0].1, pair[1].1);
        let is_reference = matches!(mark, '@' | '#' | '!' | '$' | '~' | '%' | '&' | '^') && next.is_alphanumeric();
        is_reference || (mark == ':' && (next == '/' || next.is_alphabetic()))
    });
    pairs.map(|pair| &text[pair[0].0..]).collect()
}

#[test]
fn a_sentence_of_others_is_nothing_but_text() {
    for text in HOSTILE {
        let markdown = format!("Found: {}", prose(text));
        let (plain, code, other) = shown(&markdown);
        assert!(other.is_empty() && code.is_empty(), "{text:?}: {markdown}: {other:?} {code}");
        assert!(references(&plain).is_empty(), "{text:?}: {plain:?}");
        let read: String = plain.chars().filter(|c| *c != '\u{200b}').collect();
        assert_eq!(read.trim_end(), format!("Found: {}", visible(text)).trim_end());
        assert!(!plain.contains("www.") && !plain.contains("://"), "{plain}");
    }
}

#[test]
fn a_sentence_at_the_begin_of_a_line_is_nothing_but_text() {
    for text in HOSTILE {
        let (plain, _, other) = shown(&prose(text));
        assert!(other.is_empty(), "{text:?}: {other:?}");
        let read: String = plain.chars().filter(|c| *c != '\u{200b}').collect();
        assert_eq!(read.trim(), visible(text).trim());
        assert!(!prose(text).starts_with('/'), "a command to GitLab");
    }
}

#[test]
fn a_name_of_others_is_code_with_that_text_also_in_a_table() {
    for text in HOSTILE {
        let name = code(text);
        assert_eq!(name.matches('|').count(), 0, "{name}");
        let (plain, code, other) = shown(&format!("x {name} y"));
        assert!(other.is_empty(), "{text:?}: {other:?}");
        assert_eq!(plain, "x  y");
        let read: String = code.chars().filter(|c| *c != '\u{200b}').collect();
        assert_eq!(read, visible(text));
        let table = format!("| a | b |\n|---|---|\n| {name} | 1 |\n");
        let cells =
            Parser::new_ext(&table, github()).filter(|event| matches!(event, Event::Start(Tag::TableCell))).count();
        assert_eq!(cells, 4, "{table}");
    }
}

#[test]
fn lines_to_be_copied_end_where_they_end() {
    let text = format!("{}\n\nafter", fence("```\n/close\n````x\n<b>@octocat</b>"));
    let events: Vec<Event<'_>> = Parser::new_ext(&text, github()).collect();
    let code: String =
        events.iter().filter_map(|event| if let Event::Text(text) = event { Some(&**text) } else { None }).collect();
    assert_eq!(code, "```\n/close\n````x\n<b>@octocat</b>\nafter");
}

#[test]
fn plain_words_stay_as_they_are() {
    let text = "1,104 ± 3 file checks per request, 412 of them for files that do not exist (91 %)";
    assert_eq!(prose(text), text);
    assert_eq!(code("www-data php-fpm8.2"), "`www-data php-fpm8.2`");
    assert_eq!(code(""), "–");
    assert_eq!(code("a|b"), "<code>a&#124;b</code>");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_text_becomes_anything_else(text in "[ -~\\n|`@#<>\\\\é\u{202e}]{0,60}") {
        let (plain, inside, other) = shown(&format!("x {} {}", prose(&text), code(&text)));
        prop_assert!(other.is_empty(), "{:?}", other);
        prop_assert!(references(&plain).is_empty(), "{plain:?}");
        let read: String = inside.chars().filter(|c| *c != '\u{200b}').collect();
        prop_assert!(text.is_empty() || read == visible(&text), "{:?} {:?}", read, text);
    }
}
