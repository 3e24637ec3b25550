use crate::format::Format;
use crate::json::Json;
use crate::style::Style;
use crate::tests::sample;
use unladen_document::About;

fn profile(result: &crate::profile::Profiled) -> String {
    let mut out = Vec::new();
    Json.profile(result, &About::default(), Style::plain(100), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn diff(result: &crate::profile::ProfileDiff) -> String {
    let mut out = Vec::new();
    Json.profile_diff(result, &About::default(), Style::plain(100), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_profile_looks_like_this() {
    let mut result = sample::profiled();
    result.functions.truncate(2);
    insta::assert_snapshot!(profile(&result));
}

#[test]
fn a_comparison_looks_like_this() {
    let mut result = sample::profile_diff();
    result.diff.rows.truncate(2);
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
    for (name, text) in [("profile", profile(&sample::profiled())), ("profile-diff", diff(&sample::profile_diff()))] {
        let schema = unladen_document::Schema::named(name).unwrap().text;
        let mut names = Vec::new();
        fields(&serde_json::from_str(&text).unwrap(), &mut names);
        for name in names {
            assert!(schema.contains(&format!("\"{name}\": {{")), "{name}");
        }
    }
}
