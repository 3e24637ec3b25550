//! Writes the settings as `/config` shows them: [`document`].

use serde_json::{Map, Value};

use crate::Settings;

/// As JSON, with every default filled in: durations in nanoseconds, by names that end with `_ns`. There are no secrets
/// in it: keys are in files, of which only the paths are here.
pub(super) fn document(settings: &Settings) -> String {
    let Ok(value) = serde_json::to_value(settings) else { return "{}".to_owned() };
    let Value::Object(fields) = with_durations(value) else { return "{}".to_owned() };
    let schema = ("schema".to_owned(), "unladen.serve-config/1".into());
    let document = Value::Object(std::iter::once(schema).chain(fields).collect());
    format!("{document:#}\n")
}

/// What serde makes of a duration, two fields, as one number.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::Value;

    use crate::observability::tests::settings;

    #[test]
    fn durations_are_numbers_and_defaults_are_filled_in() {
        let mut settings = settings();
        settings.drain = Duration::new(1, 5);
        let document: Value = serde_json::from_str(&super::document(&settings)).unwrap();
        assert_eq!(document["schema"], "unladen.serve-config/1");
        assert_eq!(document["drain_ns"], 1_000_000_005_u64);
        assert_eq!(document["outbound"][0]["upstream"]["pool"]["idle_ns"], 4_000_000_000_u64);
        assert_eq!(document["outbound"][0]["upstream"]["timeouts"]["request"], Value::Null);
        assert!(!document.to_string().contains("secs"), "{document:#}");
    }
}
