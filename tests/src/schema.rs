//! [`hold`]: a document against the schema that it names, as `unladen schema` prints it.
//!
//! Readers have to ignore fields that they do not know; tests do not: a field that the schema lacks is an error here.

use serde_json::Value;
use unladen_document::Schema;

/// Keywords that say nothing of a value, and those that are looked at.
const KNOWN: [&str; 18] = [
    "$schema",
    "$id",
    "$defs",
    "title",
    "description",
    "$ref",
    "anyOf",
    "type",
    "enum",
    "const",
    "minimum",
    "properties",
    "required",
    "additionalProperties",
    "prefixItems",
    "items",
    "minItems",
    "maxItems",
];

/// Whatever is wrong with a document, a line each. One that names no schema is none of ours.
pub fn hold(document: &Value) -> Vec<String> {
    let Some(name) = document["schema"].as_str().filter(|name| name.starts_with("unladen.")) else { return Vec::new() };
    let Some(schema) = Schema::named(name) else { return vec![format!("`unladen schema` knows no {name}")] };
    let root = schema.json();
    let mut wrong = Vec::new();
    look(&root, &root, document, name, &mut wrong);
    wrong
}

/// One value against its part of the schema.
fn look(root: &Value, schema: &Value, value: &Value, place: &str, wrong: &mut Vec<String>) {
    let keywords = schema.as_object().unwrap_or_else(|| panic!("{place}: {schema} is no schema"));
    if let Some(other) = keywords.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        panic!("{place}: the tests do not know what `{other}` asks for");
    }
    if let Some(target) = schema["$ref"].as_str() {
        let target = root.pointer(target.trim_start_matches('#')).unwrap_or_else(|| panic!("{place}: no {target}"));
        look(root, target, value, place, wrong);
    }
    if let Some(all) = schema["anyOf"].as_array() {
        let tried = all.iter().map(|one| {
            let mut wrong = Vec::new();
            look(root, one, value, place, &mut wrong);
            wrong
        });
        // The one that comes nearest is told: with `null`, the other one.
        let nearest = tried.max_by_key(|wrong| (wrong.is_empty(), value.is_null() != (wrong.len() == 1)));
        wrong.extend(nearest.unwrap_or_default());
    }
    let is_of = |kind: &str| match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        other => panic!("{place}: {other} is no type"),
    };
    let is_of_one = match &schema["type"] {
        Value::Null => true,
        Value::String(kind) => is_of(kind),
        kinds => kinds.as_array().is_some_and(|kinds| kinds.iter().filter_map(Value::as_str).any(is_of)),
    };
    if !is_of_one {
        wrong.push(format!("{place}: {value} is not of the type {}", schema["type"]));
    }
    let is_word = schema["enum"].as_array().is_none_or(|words| value.is_null() || words.contains(value));
    let is_it = schema.get("const").is_none_or(|it| it == value);
    let is_enough = schema["minimum"].as_f64().is_none_or(|least| value.as_f64().is_none_or(|value| value >= least));
    if !(is_word && is_it && is_enough) {
        wrong.push(format!("{place}: {value} is none of what may be there"));
    }
    if let Some(fields) = value.as_object() {
        look_at_fields(root, schema, fields, place, wrong);
    }
    if let Some(values) = value.as_array() {
        look_at_values(root, schema, values, place, wrong);
    }
}

fn look_at_fields(
    root: &Value,
    schema: &Value,
    fields: &serde_json::Map<String, Value>,
    place: &str,
    wrong: &mut Vec<String>,
) {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    wrong.extend(required.filter(|name| !fields.contains_key(*name)).map(|name| format!("{place}.{name} is missing")));
    for (name, value) in fields {
        let place = format!("{place}.{name}");
        match (schema["properties"].get(name), schema.get("additionalProperties")) {
            (Some(field), _) => look(root, field, value, &place, wrong),
            (None, Some(Value::Bool(true))) => {}
            (None, Some(other)) if other.is_object() => look(root, other, value, &place, wrong),
            // What may be one of several objects is looked at as each of these.
            (None, _) if schema.get("$ref").is_some() || schema.get("anyOf").is_some() => {}
            (None, _) if schema.get("type").is_none() => {}
            (None, _) => wrong.push(format!("{place} is not in the schema")),
        }
    }
}

fn look_at_values(root: &Value, schema: &Value, values: &[Value], place: &str, wrong: &mut Vec<String>) {
    let first = schema["prefixItems"].as_array().map(Vec::as_slice).unwrap_or_default();
    for (number, value) in values.iter().enumerate() {
        let place = format!("{place}[{number}]");
        match (first.get(number), schema.get("items")) {
            (Some(one), _) => look(root, one, value, &place, wrong),
            (None, Some(Value::Bool(false))) => wrong.push(format!("{place} is not in the schema")),
            (None, Some(each)) if each.is_object() => look(root, each, value, &place, wrong),
            (None, _) => {}
        }
    }
    let count = values.len() as u64;
    let is_few = schema["maxItems"].as_u64().is_none_or(|most| count <= most);
    if !is_few || schema["minItems"].as_u64().is_some_and(|least| count < least) {
        wrong.push(format!("{place} has {count} entries"));
    }
}
