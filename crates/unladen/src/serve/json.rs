//! `unladen.serve/1`: `--check` and `--explain` as JSON.

use serde_json::{Value, json};
use unladen_serve::{Outlook, Trial};
use unladen_serve_config::{Config, ConfigError, ValueOrigin};

use crate::exit::Failure;

const SCHEMA: &str = "unladen.serve/1";

pub(super) fn wrong(file: &str, failure: &Failure) -> Value {
    let errors: Vec<Value> = match failure {
        Failure::Config(ConfigError::Bad(mistakes)) => mistakes
            .places
            .iter()
            .map(|place| json!({ "line": place.line, "column": place.column, "message": place.problem.to_string() }))
            .collect(),
        other => vec![json!({ "line": null, "column": null, "message": other.to_string() })],
    };
    json!({ "schema": SCHEMA, "file": file, "valid": false, "errors": errors, "warnings": [] })
}

/// For a valid one, with the fate of a request, and the results of connecting.
pub(super) fn checked(
    config: &Config,
    doubts: &[String],
    outlook: Option<&Outlook>,
    trials: Option<&[Trial]>,
) -> Value {
    let of_file = config
        .warnings
        .iter()
        .map(|warning| json!({ "line": warning.line, "column": warning.column, "message": warning.message }));
    // A doubt from an attempt has no line.
    let of_attempt = doubts.iter().map(|doubt| json!({ "line": null, "column": null, "message": doubt }));
    let warnings: Vec<Value> = of_file.chain(of_attempt).collect();
    let mut document = json!({
        "schema": SCHEMA,
        "file": config.file.to_string_lossy(),
        "valid": true,
        "errors": [],
        "warnings": warnings,
    });
    if let Some(outlook) = outlook {
        document["outlook"] = json!(outlook);
    }
    if let Some(trials) = trials {
        document["connections"] = json!(trials);
    }
    document
}

pub(super) fn refused(config: &Config, message: &str) -> Value {
    let mut document = checked(config, &[], None, None);
    document["valid"] = false.into();
    document["errors"] = json!([{ "line": null, "column": null, "message": message }]);
    document
}

pub(super) fn explained(config: &Config) -> Value {
    let value = |one: &unladen_serve_config::Explained| {
        let (from, line) = match one.origin {
            ValueOrigin::Said(line) => ("file", Some(line)),
            ValueOrigin::Defaults(line) => ("defaults", Some(line)),
            ValueOrigin::Preset(_) => ("preset", None),
            ValueOrigin::BuiltIn => ("default", None),
        };
        let why = (one.origin == ValueOrigin::BuiltIn).then_some(one.key.why);
        json!({
            "outbound": one.whose.outbound(),
            "site": one.whose.site(),
            "key": one.name(),
            "value": one.value.json(),
            "unit": one.value.unit(),
            "from": from,
            "line": line,
            "why": why,
        })
    };
    let mut document = checked(config, &[], None, None);
    document["values"] = config.explained.iter().map(value).collect();
    document
}
