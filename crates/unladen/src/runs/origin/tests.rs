use serde_json::json;

use super::*;

#[test]
fn a_result_tells_where_it_comes_from() {
    let about = Origin::new(&["unladen".into()], &[("a".into(), "b".into())], None).about();
    assert_eq!(about.version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
    assert!(about.time.is_some_and(|time| time.ends_with('Z')) && about.labels["a"] == "b");
    assert!(about.environment.is_some_and(|environment| environment.processors >= Some(1)));
}

#[test]
fn a_document_keeps_its_own_fields() {
    let about = About { version: Some("1".into()), command: vec!["unladen".into()], ..About::default() };
    let document = headed(json!({ "schema": "unladen.x/1", "version": 7 }), &about);
    assert_eq!(document, json!({ "schema": "unladen.x/1", "version": 7, "command": ["unladen"] }));
}
