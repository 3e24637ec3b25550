use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag};
use serde_json::{Value, json};
use unladen_document::Document;

use super::*;
use crate::tests::sample::{self, document, published};

fn text(snapshot: &str, change: impl FnOnce(&mut Value)) -> String {
    published(&Markdown, &document(snapshot, change))
}

#[test]
fn what_a_page_costs_reads_like_this() {
    insta::assert_snapshot!(text(sample::WEIGH, |_| {}));
}

#[test]
fn what_a_page_carries_reads_like_this() {
    let gates = json!([
        {"condition": "uncompressed", "url": "http://127.0.0.1:8080/", "broken": false, "untold": false, "found": "nothing found"},
        {"condition": "stat-storm", "url": "http://127.0.0.1:8080/", "broken": true, "untold": false, "found": "stat-storm: 1,104 ± 3 file checks per request"},
    ]);
    insta::assert_snapshot!(text(sample::INSIDE, |value| value["gates"] = gates));
}

#[test]
fn a_load_reads_like_this() {
    let gates = json!([
        {"condition": "p95 > 250ms", "broken": true, "untold": false, "found": "964.00 ms (960.00 to 968.00)"},
        {"condition": "errors > 1%", "broken": false, "untold": true, "found": "0.90 % (0.70 to 1.10)"},
    ]);
    insta::assert_snapshot!(text(sample::LOAD, |value| value["gates"] = gates));
}

#[test]
fn an_experiment_reads_like_this() {
    insta::assert_snapshot!(text(sample::PROVE, |_| {}));
}

#[test]
fn a_profile_reads_like_this() {
    insta::assert_snapshot!(text(sample::PROFILE, |_| {}));
}

#[test]
fn two_profiles_read_like_this() {
    insta::assert_snapshot!(text(sample::DIFF, |_| {}));
}

#[test]
fn a_document_of_an_earlier_version_is_published_too() {
    for snapshot in sample::ALL {
        let schema = sample::json(snapshot)["schema"].clone();
        let bare = Document::read(json!({ "schema": schema }).to_string().as_bytes()).unwrap();
        assert!(published(&Markdown, &bare).starts_with("## "), "{schema}");
    }
}

/// A comment that is too long is refused as a whole.
#[test]
fn a_document_of_any_size_has_room_in_a_comment() {
    let many = |value: &mut Value, list: &str, most: usize| {
        let items = value[list].as_array().unwrap().clone();
        let mut all: Vec<Value> = items.iter().cycle().take(most).cloned().collect();
        if list == "findings" {
            all.iter_mut().for_each(|item| item["summary"] = "x".repeat(5_000).into());
        }
        value[list] = all.into();
    };
    let weigh = text(sample::INSIDE, |value| {
        many(value, "findings", 300);
        many(value, "not_looked_for", 3_000);
        value["warnings"] = vec!["y".repeat(900); 200].into();
    });
    assert!(weigh.len() <= MOST_BYTES, "{}", weigh.len());
    assert!(weigh.contains("more row") && weigh.contains("Left out for lack of space"), "{weigh}");
    let prove = text(sample::PROVE, |value| {
        many(value, "comparisons", 20_000);
        value["comparisons"].as_array_mut().unwrap().iter_mut().enumerate().for_each(|(index, comparison)| {
            comparison["arm"] = format!("arm {}", index % 100).into();
        });
    });
    assert!(prove.len() <= MOST_BYTES && is_balanced(&prove), "{}", prove.len());
    let load = text(sample::LOAD, |value| value["by_request"] = vec![json!({"name": "z".repeat(400)}); 5_000].into());
    assert!(load.len() <= MOST_BYTES && is_balanced(&load), "{}", load.len());
}

#[test]
fn names_of_others_are_nothing_but_text() {
    for snapshot in sample::ALL {
        for hostile in inert::tests::HOSTILE {
            let text = text(snapshot, |value| sample::replace_texts(value, hostile));
            assert_eq!(foreign(&text), Vec::<String>::new(), "{hostile:?} in\n{text}");
            assert!(is_balanced(&text), "{text}");
            assert!(!outside_of_code(&text).lines().any(|line| line.starts_with('/')), "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn no_text_becomes_anything_else(hostile in "[ -~\\n|`@#<>é\u{202e}]{0,40}", which in 0..sample::ALL.len()) {
        let text = text(sample::ALL[which], |value| sample::replace_texts(value, &hostile));
        prop_assert_eq!(foreign(&text), Vec::<String>::new(), "{}", text);
        prop_assert!(is_balanced(&text));
    }
}

fn outside_of_code(text: &str) -> String {
    let mut fence = None;
    let mut outside = String::new();
    for line in text.lines() {
        let is_fence = line.len() >= 3 && line.bytes().all(|byte| byte == b'`');
        match fence {
            None if is_fence => fence = Some(line),
            None => outside.push_str(&format!("{line}\n")),
            Some(open) if open == line => fence = None,
            Some(_) => {}
        }
    }
    outside
}

fn is_balanced(text: &str) -> bool {
    let outside = outside_of_code(text);
    let count = |tag| outside.lines().filter(|line| *line == tag).count();
    count("<details>") == count("</details>")
}

/// What a page would make of the text besides words, tables, lists and code: links, pictures, tags, references.
fn foreign(text: &str) -> Vec<String> {
    let own = ["<details>\n", "</details>\n", "</details>", "<code>", "</code>"];
    let mut found = Vec::new();
    let mut in_code = 0_i32;
    for event in Parser::new_ext(text, inert::tests::github()) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code += 1,
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => in_code -= 1,
            Event::InlineHtml(tag) if &*tag == "<code>" => in_code += 1,
            Event::InlineHtml(tag) if &*tag == "</code>" => in_code -= 1,
            Event::Html(tag) | Event::InlineHtml(tag) => {
                let is_title = tag.starts_with("<summary>") && tag.trim_end().ends_with("</summary>");
                let inner = tag.trim_end().trim_start_matches("<summary>").trim_end_matches("</summary>");
                let plain =
                    inner.replace("<code>", "").replace("</code>", "").replace("&#8203;", "\u{200b}").replace("&#", "");
                let is_harmless = is_title && !plain.contains(['<', '>']) && references(&plain).is_none();
                if !own.contains(&&*tag) && !is_harmless {
                    found.push(format!("tag {tag}"));
                }
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                found.push(format!("link {dest_url}"));
            }
            Event::Start(Tag::FootnoteDefinition(name)) => found.push(format!("note {name}")),
            Event::InlineMath(_) | Event::DisplayMath(_) | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {
                found.push(format!("{event:?}"));
            }
            Event::Text(words) if in_code == 0 => found.extend(references(&words)),
            _ => {}
        }
    }
    found
}

fn references(words: &str) -> Option<String> {
    let chars: Vec<char> = words.chars().collect();
    let is_one = |pair: &[char]| {
        let is_mark = matches!(pair[0], '@' | '#' | '~' | '^') && pair[1].is_alphanumeric();
        is_mark || (pair[0] == ':' && pair[1] == '/')
    };
    chars.windows(2).any(is_one).then(|| format!("reference in {words}"))
}

fn compared(comparison: &Comparison) -> String {
    let mut out = Vec::new();
    Markdown.comparison(comparison, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn two_runs_read_like_this() {
    insta::assert_snapshot!(compared(&crate::html::tests::comparison()));
}

#[test]
fn names_of_others_in_two_runs_are_nothing_but_text() {
    for hostile in inert::tests::HOSTILE {
        let mut comparison = crate::html::tests::comparison();
        for side in [&mut comparison.before, &mut comparison.after] {
            (side.target, side.host, side.commit) = (hostile.into(), Some(hostile.into()), Some(hostile.into()));
        }
        comparison.rows.iter_mut().for_each(|row| (row.url, row.metric) = (hostile.into(), hostile.into()));
        comparison.findings.iter_mut().for_each(|one| (one.summary, one.rule) = (hostile.into(), hostile.into()));
        comparison.warnings = vec![hostile.into()];
        let text = compared(&comparison);
        assert_eq!(foreign(&text), Vec::<String>::new(), "{hostile:?} in\n{text}");
    }
}

#[test]
fn a_check_of_a_class_map_reads_like_this() {
    insta::assert_snapshot!(text(sample::CLASSMAP, |_| {}));
}
