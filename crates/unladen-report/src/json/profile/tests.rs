use crate::format::{Format, Report};
use crate::json::Json;
use crate::style::Style;
use crate::tests::sample;

fn profile(result: &crate::profile::Profiled) -> String {
    let mut out = Vec::new();
    Json.write(Report::Profile(result), Style::plain(100), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn diff(result: &crate::profile::ProfileDiff) -> String {
    let mut out = Vec::new();
    Json.write(Report::ProfileDiff(result), Style::plain(100), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_profile_looks_like_this() {
    let mut result = sample::profiled();
    result.document.functions.truncate(2);
    insta::assert_snapshot!(profile(&result));
}

#[test]
fn a_comparison_looks_like_this() {
    let mut result = sample::profile_diff();
    result.document.functions.truncate(2);
    insta::assert_snapshot!(diff(&result));
}

#[test]
fn without_intervals_their_ends_are_null() {
    let parsed: serde_json::Value = serde_json::from_str(&profile(&sample::from_file())).unwrap();
    assert_eq!(parsed["schema"], "unladen.profile/1");
    assert!(parsed["functions"][0]["self_share"]["low"].is_null() && parsed["requests"].is_null());
    let parsed: serde_json::Value = serde_json::from_str(&diff(&sample::diff_of_files())).unwrap();
    assert_eq!(parsed["schema"], "unladen.profile-diff/1");
    assert!(parsed["functions"][0]["total"]["difference"]["high"].is_null());
}

/// The names of all fields: none of them are data.
fn fields(value: &serde_json::Value, names: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(object) => {
            for (name, value) in object {
                names.push(name.clone());
                fields(value, names);
            }
        }
        serde_json::Value::Array(values) => values.iter().for_each(|value| fields(value, names)),
        _ => {}
    }
}

#[test]
fn every_field_is_documented() {
    let page = include_str!("../../../../../docs/reference/json.md");
    let page = &page[page.find("## `unladen.profile/1`").unwrap()..];
    let page = page.split_inclusive("\n## ").take(2).collect::<String>();
    let mut names = Vec::new();
    for text in [profile(&sample::profiled()), diff(&sample::profile_diff())] {
        fields(&serde_json::from_str(&text).unwrap(), &mut names);
    }
    // Findings are those of `unladen weigh`.
    let of_findings =
        ["rule", "state", "summary", "evidence", "figures", "items", "share", "known", "why", "fix", "advice"];
    let of_fixes = ["audience", "developers", "lines", "commands", "check_again", "per_request"];
    let of_savings = ["takes_ns", "saves_at_most_ns", "saves"];
    let of_findings = [&of_findings[..], &of_fixes, &of_savings].concat();
    // What came is the same in all documents.
    let of_answers = ["request", "status", "media_type", "decoded_bytes", "coding", "words", "digest"];
    names.retain(|name| !of_answers.contains(&name.as_str()) && !["bytes", "title"].contains(&name.as_str()));
    for name in names.iter().filter(|name| !of_findings.contains(&name.as_str())) {
        assert!(page.contains(&format!("`{name}`")) || page.contains(&format!("`{name}[]`")), "{name}");
    }
}
