//! `unladen.serve/1`: what `--check` and `--explain` say, as JSON.

use std::path::Path;

use serde_json::{Value, json};
use unladen_serve::{Config, ConfigError, ValueOrigin};

const SCHEMA: &str = "unladen.serve/1";

/// Of a configuration that is wrong.
pub(super) fn wrong(file: &Path, error: &ConfigError) -> Value {
    let errors: Vec<Value> = match error {
        ConfigError::Bad { places, .. } => places
            .iter()
            .map(|place| json!({ "line": place.line, "column": place.column, "message": place.problem.to_string() }))
            .collect(),
        other => vec![json!({ "line": null, "column": null, "message": other.to_string() })],
    };
    json!({ "schema": SCHEMA, "file": file.to_string_lossy(), "valid": false, "errors": errors, "warnings": [] })
}

/// Of one that is right.
pub(super) fn checked(config: &Config) -> Value {
    let warnings: Vec<Value> = config
        .warnings
        .iter()
        .map(|warning| json!({ "line": warning.line, "column": warning.column, "message": warning.message }))
        .collect();
    json!({
        "schema": SCHEMA,
        "file": config.file.to_string_lossy(),
        "valid": true,
        "errors": [],
        "warnings": warnings,
    })
}

/// The same, and every value.
pub(super) fn explained(config: &Config) -> Value {
    let value = |one: &unladen_serve::Explained| {
        let (from, line) = match one.origin {
            ValueOrigin::Said(line) => ("file", Some(line)),
            ValueOrigin::Defaults(line) => ("defaults", Some(line)),
            ValueOrigin::BuiltIn => ("default", None),
        };
        let why = (one.origin == ValueOrigin::BuiltIn).then_some(one.key.why);
        json!({
            "beside": one.whose.beside(),
            "front": one.whose.front(),
            "key": one.name(),
            "value": one.value.json(),
            "unit": one.value.unit(),
            "from": from,
            "line": line,
            "why": why,
        })
    };
    let mut document = checked(config);
    if let Some(object) = document.as_object_mut() {
        object.insert("values".to_owned(), config.explained.iter().map(value).collect());
    }
    document
}
