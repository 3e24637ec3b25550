use std::collections::BTreeSet;

use serde_json::Value;

use super::*;

/// What is promised to readers: a line for each field that a document of version 0.1 has. Lines are added, when a
/// version is released, by `cargo test -p unladen-document what_was_promised_is_written -- --ignored`, and never taken away.
const PROMISED: &str = include_str!("../../schemas/promised.txt");

fn parsed(schema: &Schema) -> Value {
    schema.json()
}

/// The schema behind a reference, or itself.
fn followed<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(target) => root.pointer(target.trim_start_matches('#')).unwrap_or_else(|| panic!("{target} is nowhere")),
        None => schema,
    }
}

/// `number or null`, `object`, `"complete" or "failed"`: what a value may be.
fn kinds(root: &Value, schema: &Value) -> BTreeSet<String> {
    let schema = followed(root, schema);
    if let Some(all) = schema["anyOf"].as_array() {
        return all.iter().flat_map(|one| kinds(root, one)).collect();
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(ToString::to_string).collect();
    }
    match &schema["type"] {
        Value::String(one) => [one.clone()].into(),
        Value::Array(all) => all.iter().filter_map(|one| Some(one.as_str()?.to_owned())).collect(),
        _ if schema.get("const").is_some() => [schema["const"].to_string()].into(),
        _ => ["anything".to_owned()].into(),
    }
}

/// A line for each field below: where it is, what it may be, and whether it is always there.
fn fields(root: &Value, schema: &Value, path: &str, lines: &mut BTreeSet<String>) {
    let schema = followed(root, schema);
    for one in schema["anyOf"].as_array().into_iter().flatten() {
        fields(root, one, path, lines);
    }
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        let kinds: Vec<String> = kinds(root, field).into_iter().collect();
        let often = if required.contains(&name.as_str()) { "always" } else { "perhaps" };
        lines.insert(format!("{path}: {often} {}", kinds.join(" or ")));
        fields(root, field, &path, lines);
    }
    for (key, mark) in [("items", "[]"), ("additionalProperties", "{}")] {
        let Some(inner) = schema.get(key).filter(|inner| inner.is_object()) else { continue };
        let path = format!("{path}{mark}");
        let kinds: Vec<String> = kinds(root, inner).into_iter().collect();
        lines.insert(format!("{path}: always {}", kinds.join(" or ")));
        fields(root, inner, &path, lines);
    }
}

fn all_fields() -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for schema in Schema::ALL {
        let root = parsed(schema);
        fields(&root, &root, schema.name, &mut lines);
    }
    lines
}

#[test]
fn each_file_is_a_schema_that_says_what_it_is() {
    for schema in Schema::ALL {
        let root = parsed(schema);
        assert_eq!(root["$schema"], "https://json-schema.org/draft/2020-12/schema", "{}", schema.name);
        assert_eq!(root["$id"], format!("urn:unladen:schema:{}:1", schema.name));
        assert_eq!(root["properties"]["schema"]["const"], format!("unladen.{}/1", schema.name));
        assert_eq!(schema.title(), root["title"].as_str().unwrap());
        assert!(!schema.title().is_empty() && Schema::named(schema.name).unwrap().name == schema.name);
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let files = files.filter(|file| file.extension().is_some_and(|end| end == "json")).count();
    let of_files = Schema::ALL.iter().filter(|schema| matches!(schema.source, Source::File(_))).count();
    assert_eq!(files, of_files, "each file in {folder} is one of them");
}

#[test]
fn a_schema_has_the_name_that_documents_say() {
    assert_eq!(Schema::named("unladen.weigh/1").map(|schema| schema.name), Some("weigh"));
    for other in ["unladen.weigh/2", "weigh/1", "", "unladen.run/1/1"] {
        assert!(Schema::named(other).is_none(), "{other}");
    }
}

/// Every field says what it is, and its unit where the name has one.
#[test]
fn each_field_is_described() {
    fn look(name: &str, schema: &Value) {
        for (field, inner) in schema["properties"].as_object().into_iter().flatten() {
            let said = inner["description"].as_str().unwrap_or_default();
            assert!(!said.is_empty(), "{name}: {field} is not described");
            for (end, unit) in [("_ns", "in ns"), ("_bytes", "in bytes"), ("_ms", "in ms"), ("_seconds", "in s")] {
                assert!(!field.ends_with(end) || said.contains(unit), "{name}: {field}: {said}: it lacks `{unit}`");
            }
            assert!(!field.ends_with("_share") || said.contains("0 to 1"), "{name}: {field}: {said}");
        }
        schema["$defs"].as_object().into_iter().flatten().for_each(|(_, inner)| look(name, inner));
    }
    Schema::ALL.iter().for_each(|schema| look(schema.name, &parsed(schema)));
}

/// A program that reads version 0.1 reads this one.
#[test]
fn what_was_promised_is_kept() {
    let now = all_fields();
    // What was there at times may be there always, and what might be null need not be.
    let is_kept = |line: &str| {
        let narrowed = [line.to_owned(), line.replace(" or null", "").replace("null or ", "")];
        narrowed.iter().any(|line| now.contains(line) || now.contains(&line.replace(": perhaps ", ": always ")))
    };
    let gone: Vec<&str> = PROMISED.lines().filter(|line| !is_kept(line)).collect();
    assert!(PROMISED.lines().count() > 400, "a promise is a line for each field");
    assert!(
        gone.is_empty(),
        "gone, or of another type: the schema's number has to change with it\n{}",
        gone.join("\n")
    );
}

#[test]
#[ignore = "writes the fields of today into the promise, for a release"]
fn what_was_promised_is_written() {
    let mut all = all_fields();
    all.extend(PROMISED.lines().map(str::to_owned));
    let text = all.into_iter().map(|line| line + "\n").collect::<String>();
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/promised.txt"), text).unwrap();
}

/// What reads documents back knows no field that the schema does not.
#[test]
fn documents_read_back_have_the_schemas_fields() {
    for schema in Schema::ALL {
        let text = format!(r#"{{"schema": "unladen.{}/1"}}"#, schema.name);
        let Ok(document) = crate::Document::read(text.as_bytes()) else { continue };
        let document = serde_json::to_value(document).unwrap();
        let root = parsed(schema);
        for name in document.as_object().unwrap().keys() {
            assert!(root["properties"].get(name).is_some(), "{}: {name} is not in the schema", schema.name);
        }
    }
}
