//! [`headed`]: adds to a JSON document what every document says of its run.

use serde_json::Value;
use unladen_document::About;

pub(crate) fn headed(mut document: Value, about: &About) -> Value {
    // An `About` serialises to an object, and every document is one.
    if let (Some(fields), Ok(Value::Object(about))) = (document.as_object_mut(), serde_json::to_value(about)) {
        for (name, value) in about {
            fields.entry(name).or_insert(value);
        }
    }
    document
}

#[cfg(test)]
mod tests;
