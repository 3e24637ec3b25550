//! Writes the settings for `/config`: [`config_document`].

use serde::Serialize;
use serde_json::{Map, Value};

/// Settings as JSON with all defaults: durations in nanoseconds, under names that end with `_ns`. It contains no
/// secrets: keys are in files, and only their paths are here.
pub fn config_document(settings: &impl Serialize) -> String {
    let Ok(value) = serde_json::to_value(settings) else { return "{}".to_owned() };
    let Value::Object(fields) = with_durations(value) else { return "{}".to_owned() };
    let schema = ("schema".to_owned(), "unladen.serve-config/1".into());
    let document = Value::Object(std::iter::once(schema).chain(fields).collect());
    format!("{document:#}\n")
}

/// Replaces serde's two-field durations by one number.
fn with_durations(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let named = |(name, value): (String, Value)| match nanoseconds(&value) {
                Some(ns) => (format!("{name}_ns"), ns.into()),
                None => (name, with_durations(value)),
            };
            Value::Object(fields.into_iter().map(named).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(with_durations).collect()),
        other => other,
    }
}

fn nanoseconds(value: &Value) -> Option<u64> {
    let fields = value.as_object().filter(|fields| fields.len() == 2)?;
    let (secs, nanos) = (fields.get("secs")?.as_u64()?, fields.get("nanos")?.as_u64()?);
    Some(secs.saturating_mul(1_000_000_000).saturating_add(nanos))
}
