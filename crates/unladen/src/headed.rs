//! [`headed`]: a JSON document with what every document says of its run.

use serde_json::Value;
use unladen_document::About;

/// The document with version, time, host and command beside its own fields.
pub(crate) fn headed(mut document: Value, about: &About) -> Value {
    // An `About` is an object, and so is every document.
    if let (Some(fields), Ok(Value::Object(about))) = (document.as_object_mut(), serde_json::to_value(about)) {
        for (name, value) in about {
            fields.entry(name).or_insert(value);
        }
    }
    document
}

#[cfg(test)]
mod tests;
