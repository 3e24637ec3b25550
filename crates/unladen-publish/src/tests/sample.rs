//! Documents for tests: those that `unladen-report` shows in its own, as its JSON writes them.

use serde_json::Value;
use unladen_document::Document;

use crate::publication::Publication;

pub(crate) const WEIGH: &str = include_str!(
    "../../../unladen-report/src/json/snapshots/unladen_report__json__tests__the_document_looks_like_this.snap"
);
pub(crate) const INSIDE: &str = include_str!(
    "../../../unladen-report/src/json/snapshots/unladen_report__json__tests__findings_look_like_this.snap"
);
pub(crate) const LOAD: &str =
    include_str!("../../../unladen-report/src/json/snapshots/unladen_report__json__tests__a_load_looks_like_this.snap");
pub(crate) const PROVE: &str = include_str!(
    "../../../unladen-report/src/json/snapshots/unladen_report__json__tests__a_proof_looks_like_this.snap"
);
pub(crate) const PROFILE: &str = include_str!(
    "../../../unladen-report/src/json/snapshots/unladen_report__json__tests__a_profile_looks_like_this.snap"
);
pub(crate) const DIFF: &str = include_str!(
    "../../../unladen-report/src/json/snapshots/unladen_report__json__tests__a_comparison_looks_like_this.snap"
);
pub(crate) const CLASSMAP: &str = include_str!("../html/tests/classmap-check.json");

/// All of them.
pub(crate) const ALL: [&str; 7] = [WEIGH, INSIDE, LOAD, PROVE, PROFILE, DIFF, CLASSMAP];

/// A snapshot's document, with what every run says of itself, and with what a test changes.
pub(crate) fn document(snapshot: &str, change: impl FnOnce(&mut Value)) -> Document {
    let mut value = json(snapshot);
    for (name, field) in about() {
        value[name] = field;
    }
    change(&mut value);
    Document::read(value.to_string().as_bytes()).unwrap()
}

/// As the snapshot has it.
pub(crate) fn json(snapshot: &str) -> Value {
    // The head of a snapshot ends with the second line of dashes.
    let body = if snapshot.starts_with('{') { snapshot } else { snapshot.splitn(3, "---\n").nth(2).unwrap() };
    serde_json::from_str(body).unwrap()
}

/// What a format makes of a document.
pub(crate) fn published(format: &dyn Publication, document: &Document) -> String {
    let mut out = Vec::new();
    format.document(document, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Replaces every text of a document but its schema, its kind of end and its times.
pub(crate) fn replace_texts(value: &mut Value, with: &str) {
    match value {
        Value::String(text) => *text = with.to_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| replace_texts(item, with)),
        Value::Object(fields) => {
            let kept = ["schema", "ended", "time", "verdict", "unit"];
            let changed = fields.iter_mut().filter(|(name, _)| !kept.contains(&name.as_str()));
            changed.for_each(|(_, value)| replace_texts(value, with));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn about() -> [(&'static str, Value); 9] {
    [
        ("version", "0.1.0".into()),
        ("time", "2026-11-23T05:00:00Z".into()),
        ("host", "ci-7".into()),
        ("seed", 42.into()),
        ("command", serde_json::json!(["unladen", "weigh", "-H", "Cookie: session=…", "http://127.0.0.1:8080/"])),
        ("labels", serde_json::json!({"release": "1.43"})),
        (
            "environment",
            serde_json::json!({"kernel": "6.18.5", "cpu": "A CPU", "processors": 2, "software": [{"name": "PHP", "version": "8.2.29"}]}),
        ),
        (
            "revision",
            serde_json::json!({"folder": "/srv/wiki", "commit": "0123456789abcdef0123456789abcdef01234567", "branch": "try", "dirty": true}),
        ),
        ("machine", serde_json::json!({"stolen_share": 0.031, "spoiled_blocks": 2, "blocks": 24})),
    ]
}
