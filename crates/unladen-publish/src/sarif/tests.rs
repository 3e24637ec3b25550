use proptest::prelude::*;
use serde_json::{Value, json};
use unladen_document::Document;

use super::*;
use crate::tests::sample::{self, document, published};

fn log(snapshot: &str, change: impl FnOnce(&mut Value)) -> Value {
    serde_json::from_str(&published(&Sarif, &document(snapshot, change))).unwrap()
}

fn results(log: &Value) -> &[Value] {
    log["runs"][0]["results"].as_array().unwrap()
}

#[test]
fn findings_look_like_this() {
    let mut log = log(sample::INSIDE, |_| {});
    for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array_mut().unwrap() {
        let page = rule["help"]["markdown"].as_str().unwrap().to_owned();
        assert!(page.starts_with("# "), "{page}");
        rule["help"] = json!("the rule's page");
    }
    insta::assert_json_snapshot!(log);
}

/// GitHub refuses the whole file.
#[test]
fn no_result_is_without_a_place_in_a_file() {
    for snapshot in sample::ALL {
        for result in results(&log(snapshot, |_| {})) {
            let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
            assert!(!uri.is_empty() && !uri.starts_with('/'), "{result:#}");
        }
    }
}

#[test]
fn a_function_is_a_place_below_the_sources() {
    let log = log(sample::PROFILE, |value| {
        value["findings"][0]["summary"] = "MediaWiki\\MediaWiki::main takes 19.1 ± 0.4 % of a request".into();
    });
    let place = &results(&log)[0]["locations"][0];
    assert_eq!(
        place["physicalLocation"]["artifactLocation"],
        json!({"uri": "includes/MediaWiki.php", "uriBaseId": "SRCROOT"})
    );
    assert_eq!(place["physicalLocation"]["region"]["startLine"], 51);
    assert_eq!(log["runs"][0]["originalUriBaseIds"]["SRCROOT"]["uri"], "file:///srv/wiki/");
}

#[test]
fn a_page_without_a_file_is_the_path_of_its_url() {
    let uri = |url: &str| super::location::page(url);
    assert_eq!(uri("http://127.0.0.1:8080/pledge.php?ref=blood"), "pledge.php");
    assert_eq!(uri("http://127.0.0.1:8080/"), "index");
    assert_eq!(uri("https://wiki.example/a/../%41/b c%zz"), "a/%41/b");
    assert_eq!(uri("http://x/%zz"), "%25zz");
    assert_eq!(uri("no url: a title"), "no");
}

#[test]
fn a_finding_keeps_its_fingerprint_from_run_to_run() {
    let prints = |port: &str, figure: f64| {
        let log = log(sample::INSIDE, |value| {
            let text = value.to_string().replace("127.0.0.1:8080", port);
            *value = serde_json::from_str(&text).unwrap();
            value["findings"][0]["evidence"]["figures"][0]["per_request"] = figure.into();
            value["findings"][0]["summary"] = format!("{figure} file checks").into();
        });
        results(&log).iter().map(|result| result["partialFingerprints"].clone()).collect::<Vec<_>>()
    };
    let first = prints("127.0.0.1:8080", 1_104.0);
    assert_eq!(first, prints("127.0.0.1:9191", 1_090.0));
    assert!(first[0] != first[1], "{first:?}");
}

#[test]
fn a_broken_condition_is_an_error_and_exit_code_8() {
    let log = log(sample::PROVE, |_| {});
    let gates = sample::json(sample::PROVE)["gates"].as_array().unwrap().clone();
    let broken = gates.iter().filter(|gate| gate["broken"] == true).count();
    assert!(broken > 0 && results(&log).len() == broken, "{log:#}");
    assert!(results(&log).iter().all(|result| result["level"] == "error" && result["ruleId"] == "fail-on"));
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!((&invocation["exitCode"], &invocation["executionSuccessful"]), (&json!(8), &json!(true)));
    assert_eq!(invocation["endTimeUtc"], "2026-11-23T05:00:00.000Z");
}

#[test]
fn a_rule_that_fails_the_job_is_an_error() {
    let levels = |gates: Value| {
        let log = log(sample::INSIDE, |value| value["gates"] = gates);
        results(&log).iter().map(|result| result["level"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(levels(json!([])), ["warning"; 3]);
    let gates = json!([{"condition": "no-validator", "url": "http://127.0.0.1:8080/index.php/Main_Page", "broken": true, "untold": false, "found": ""}]);
    assert_eq!(levels(gates), ["warning", "error", "warning"]);
}

#[test]
fn links_in_messages_are_text() {
    assert_eq!(super::log::escaped("[click](1) {0} \\ \u{1b}"), "\\[click\\](1) {{0}} \\\\ ␛");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(25))]

    #[test]
    fn any_name_leaves_it_json_with_uris_in_it(hostile in "\\PC{0,30}|[\\x00-\\x7f]{0,30}", which in 0..sample::ALL.len()) {
        let log = log(sample::ALL[which], |value| sample::replace_texts(value, &hostile));
        for result in results(&log) {
            let uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap();
            let is_uri = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/%:".contains(&byte);
            prop_assert!(uri.bytes().all(is_uri) && !uri.is_empty(), "{}", uri);
            let text = result["message"]["text"].as_str().unwrap();
            prop_assert!(!text.chars().any(char::is_control), "{:?}", text);
        }
    }
}

#[test]
fn a_document_of_an_earlier_version_is_published_too() {
    for snapshot in sample::ALL {
        let schema = sample::json(snapshot)["schema"].clone();
        let bare = Document::read(json!({ "schema": schema }).to_string().as_bytes()).unwrap();
        let log: Value = serde_json::from_str(&published(&Sarif, &bare)).unwrap();
        assert_eq!(log["version"], "2.1.0");
    }
}

#[test]
fn two_runs_say_what_is_new() {
    let mut out = Vec::new();
    Sarif.comparison(&crate::html::tests::comparison(), &mut out).unwrap();
    let log: Value = serde_json::from_slice(&out).unwrap();
    let told: Vec<(&str, &str, &str)> = results(&log)
        .iter()
        .map(|result| ["ruleId", "baselineState", "level"].map(|name| result[name].as_str().unwrap()).into())
        .collect();
    let expected = [("stat-storm", "absent", "note"), ("log-chatter", "new", "error"), ("worse", "new", "error")];
    assert_eq!(told, expected, "{log:#}");
}

/// What fails the check is an error at its line; without --strict, the rest is a warning.
#[test]
fn classes_are_told_at_their_lines() {
    let at = |strict: bool| -> Vec<(String, String, Value, String)> {
        let log = log(sample::CLASSMAP, |value| value["strict"] = strict.into());
        assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], 8);
        let one = |result: &Value| {
            let place = &result["locations"][0]["physicalLocation"];
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let uri = text(&place["artifactLocation"]["uri"]);
            (text(&result["ruleId"]), uri, place["region"]["startLine"].clone(), text(&result["level"]))
        };
        results(&log).iter().map(one).collect()
    };
    let row = |rule: &str, uri: &str, line: Value, level: &str| (rule.into(), uri.into(), line, level.into());
    let (strict, lax) = (at(true), at(false));
    assert!(strict.contains(&row("class-misplaced", "file:///srv/shop/src/card.php", json!(5), "error")), "{strict:?}");
    assert!(lax.contains(&row("class-misplaced", "file:///srv/shop/src/card.php", json!(5), "warning")), "{lax:?}");
    assert!(lax.contains(&row("classmap-out-of-date", "file:///srv/shop/lib/Cart.php", json!(12), "error")), "{lax:?}");
    let gone = row("classmap-out-of-date", "file:///srv/shop/unladen-classmap.php", Value::Null, "error");
    assert!(lax.contains(&gone), "{lax:?}");
    assert!(
        lax.contains(&row("class-declared-twice", "file:///srv/shop/src/Cart.php", json!(12), "warning")),
        "{lax:?}"
    );
    assert_eq!(lax.len(), 4 + 2 + 1 + 2);
}

#[test]
fn a_map_that_is_right_ends_with_nothing() {
    let log = log(sample::CLASSMAP, |value| {
        value["current"] = true.into();
        value["strict"] = false.into();
        value["differences"] = json!({});
    });
    assert_eq!(log["runs"][0]["invocations"][0]["exitCode"], 0);
    assert!(results(&log).iter().all(|result| result["level"] == "warning"));
}
