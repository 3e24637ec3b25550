use super::*;
use serde_json::json;

#[test]
fn a_document_keeps_its_own_fields() {
    let about = About { version: Some("1".into()), command: vec!["unladen".into()], ..About::default() };
    let document = headed(json!({ "schema": "unladen.x/1", "version": 7 }), &about);
    assert_eq!(document, json!({ "schema": "unladen.x/1", "version": 7, "command": ["unladen"] }));
}
