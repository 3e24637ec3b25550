use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::{Value, json};

use super::*;
use crate::tests::sample::{self, document, published};

fn text(snapshot: &str, change: impl FnOnce(&mut Value)) -> String {
    published(&Junit, &document(snapshot, change))
}

/// The begin of each case's line and what became of it.
fn cases(xml: &str) -> Vec<(String, &'static str)> {
    let mut reader = Reader::from_str(xml);
    let (mut cases, mut is_open) = (Vec::new(), false);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) if tag.name().as_ref() == b"testcase" => {
                let name = tag.try_get_attribute("name").unwrap().unwrap();
                let name = name.normalized_value(quick_xml::XmlVersion::Explicit1_0).unwrap().into_owned();
                cases.push((name, "passed"));
                is_open = true;
            }
            Event::Empty(tag) if tag.name().as_ref() == b"testcase" => {
                let name = tag.try_get_attribute("name").unwrap().unwrap();
                cases.push((name.normalized_value(quick_xml::XmlVersion::Explicit1_0).unwrap().into_owned(), "passed"));
            }
            Event::End(tag) if tag.name().as_ref() == b"testcase" => is_open = false,
            Event::Start(tag) | Event::Empty(tag) if is_open => {
                let outcome = match tag.name().as_ref() {
                    b"failure" => "failed",
                    b"error" => "broken",
                    b"skipped" => "skipped",
                    _ => continue,
                };
                cases.last_mut().unwrap().1 = outcome;
            }
            Event::Eof => return cases,
            _ => {}
        }
    }
}

fn outcome(xml: &str, name: &str) -> &'static str {
    let cases = cases(xml);
    cases.iter().find(|(case, _)| case.starts_with(name)).unwrap_or_else(|| panic!("{name}: {cases:?}")).1
}

#[test]
fn an_experiment_looks_like_this() {
    insta::assert_snapshot!(text(sample::PROVE, |_| {}));
}

#[test]
fn each_rule_that_looked_is_a_case() {
    let xml = text(sample::INSIDE, |_| {});
    for (rule, expected) in [
        ("the run was completed", "passed"),
        ("stat-storm on ", "failed"),
        ("no-validator on ", "failed"),
        ("recompile on ", "skipped"),
        ("uncompressed on ", "passed"),
    ] {
        assert_eq!(outcome(&xml, rule), expected, "{rule} in {xml}");
    }
    let why = "php-fpm8.2 has no symbol `compile_file`; it needs a php that exports it, as Debian&apos;s";
    assert!(xml.contains(why), "{xml}");
    assert!(!cases(&xml).iter().any(|(name, _)| name.starts_with("hot-call")), "a rule of profiles");
}

/// A report that shows failures while the job passes is not believed again.
#[test]
fn where_rules_are_named_the_report_says_what_the_exit_code_says() {
    let gate = |rule: &str, broken: bool| json!({"condition": rule, "url": "http://127.0.0.1:8080/index.php/Main_Page", "broken": broken, "untold": false, "found": ""});
    let xml = text(sample::INSIDE, |value| {
        value["gates"] = json!([gate("no-validator", true), gate("recompile", true), gate("uncompressed", false)]);
    });
    for (rule, expected) in [
        ("stat-storm on ", "passed"),
        ("no-validator on ", "failed"),
        ("recompile on ", "failed"),
        ("opcache-revalidation on ", "skipped"),
        ("uncompressed on ", "passed"),
    ] {
        assert_eq!(outcome(&xml, rule), expected, "{rule} in {xml}");
    }
}

#[test]
fn rules_that_nobody_asked_are_no_cases() {
    let bare = text(sample::WEIGH, |_| {});
    assert_eq!(cases(&bare).len(), 1, "{bare}");
}

#[test]
fn conditions_of_a_load_are_cases() {
    let xml = text(sample::LOAD, |value| {
        value["gates"] = json!([
            {"condition": "p95 > 250ms", "broken": true, "untold": false, "found": "964.00 ms (960.00 to 968.00)"},
            {"condition": "p50 > 26ms", "broken": false, "untold": true, "found": "26.00 ms (25.00 to 27.00)"},
            {"condition": "errors > 1%", "broken": false, "untold": false, "found": "0.00 %"},
        ]);
    });
    assert_eq!(outcome(&xml, "p95 > 250ms"), "failed");
    assert_eq!(outcome(&xml, "p50 > 26ms"), "passed");
    assert!(xml.contains("unclear whether it holds"), "{xml}");
    assert_eq!(outcome(&xml, "errors > 1%"), "passed");
    let interrupted = text(sample::LOAD, |value| value["ended"] = "interrupted".into());
    assert_eq!(outcome(&interrupted, "the run was completed"), "broken");
}

#[test]
fn rules_of_profiles_that_could_not_look_are_skipped() {
    let xml = text(sample::PROFILE, |_| {});
    assert_eq!(outcome(&xml, "autoload-share"), "failed");
    assert_eq!(outcome(&xml, "hot-call"), "skipped");
    assert_eq!(outcome(&xml, "clone-storm"), "passed");
    let few = text(sample::PROFILE, |value| value["requests"] = 3.into());
    assert_eq!(outcome(&few, "clone-storm"), "skipped");
}

/// Text that is no XML: control characters, halves of the syntax, characters that it has no room for.
const HOSTILE: [&str; 6] =
    ["]]><failure>", "\0\u{1}\u{b}\u{1b}[31m\u{fffe}\u{ffff}", "\"'<>&", "<!--", "&#0;", "a\nb\tc\r"];

#[test]
fn no_name_breaks_the_xml() {
    for snapshot in sample::ALL {
        for hostile in HOSTILE {
            let xml = text(snapshot, |value| sample::replace_texts(value, hostile));
            assert!(is_well_formed(&xml), "{hostile:?} in {xml}");
            let before = cases(&text(snapshot, |_| {})).len();
            assert!(cases(&xml).len() <= before.max(2) * 40, "no case by injection");
            assert!(!xml.contains("<failure>") && !xml.contains('\u{1b}'), "{xml}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn any_name_leaves_it_well_formed(hostile in "\\PC{0,30}|[\\x00-\\x7f]{0,30}", which in 0..sample::ALL.len()) {
        prop_assert!(is_well_formed(&text(sample::ALL[which], |value| sample::replace_texts(value, &hostile))));
    }
}

/// Whether it is: tags are closed, attributes and references can be read, and all characters are ones of XML 1.0.
fn is_well_formed(xml: &str) -> bool {
    let is_char =
        |c: char| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_comments = true;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                let is_read = |attribute: Result<quick_xml::events::attributes::Attribute<'_>, _>| {
                    attribute.is_ok_and(|attribute| {
                        attribute
                            .normalized_value(quick_xml::XmlVersion::Explicit1_0)
                            .is_ok_and(|value| value.chars().all(is_char))
                    })
                };
                if !tag.attributes().all(is_read) {
                    return false;
                }
            }
            Ok(Event::Eof) => return xml.chars().all(is_char),
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

#[test]
fn what_is_worse_in_the_later_run_failed() {
    let mut out = Vec::new();
    Junit.comparison(&crate::html::tests::comparison(), &mut out).unwrap();
    let xml = String::from_utf8(out).unwrap();
    for (name, expected) in [
        ("comparable", "passed"),
        ("latency.p50 of ", "passed"),
        ("weight.read_bytes ", "failed"),
        // What nobody could judge has not passed.
        ("latency.p99 of ", "skipped"),
        ("stat-storm by ", "passed"),
        ("recompile by ", "skipped"),
        ("log-chatter by ", "failed"),
    ] {
        assert_eq!(outcome(&xml, name), expected, "{name} in {xml}");
    }
    assert!(xml.contains("heavier: +40.0 % (+38.8 to +41.2)") && is_well_formed(&xml), "{xml}");
}

#[test]
fn a_check_of_a_class_map_is_four_cases() {
    let of = |strict: bool| {
        let xml = text(sample::CLASSMAP, |value| value["strict"] = strict.into());
        cases(&xml)
    };
    let (map, others) = (("the map is up to date".to_owned(), "failed"), "each class is declared in one file");
    assert!(of(false).len() == 4 && of(false).contains(&map) && of(false).contains(&(others.to_owned(), "passed")));
    assert!(of(true).iter().all(|(_, outcome)| *outcome == "failed"), "{:?}", of(true));
}
