//! The principal type is [`Schema`]: the format of a document, for other programs.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

use crate::{
    BillDocument, ClassmapCheckDocument, LoadDocument, ProfileDiffDocument, ProfileDocument, ProveDocument,
    WeighDocument,
};

/// The JSON Schema (2020-12) of a document that `--json` writes.
///
/// Required fields stay, with their types, as long as the number of the document's schema does. Fields may be added,
/// and readers have to ignore unknown ones.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// `weigh`, for `unladen.weigh/1`.
    pub name: &'static str,
    source: Source,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    /// The type that is written; its documentation describes the fields.
    Type(fn(SchemaGenerator) -> schemars::Schema, Required),
    /// In `schemas/`, of a document that has no type.
    File(&'static str),
}

/// Which fields of the document itself are always there.
#[derive(Debug, Clone, Copy)]
enum Required {
    /// Those that are never skipped …
    Written,
    /// … and these …
    Also(&'static [&'static str]),
    /// … or these alone.
    Only(&'static [&'static str]),
}

/// The fields of `unladen weigh --replay`.
const REPLAYED: &[&str] = &[
    "schema",
    "target",
    "requests",
    "weights",
    "findings",
    "counts",
    "not_looked_for",
    "not_judged",
    "gates",
    "traced",
    "lost_events",
];

const fn of_type<T: JsonSchema>(name: &'static str, required: Required) -> Schema {
    Schema { name, source: Source::Type(SchemaGenerator::into_root_schema_for::<T>, required) }
}

/// From its file name in `schemas/`.
macro_rules! of_file {
    ($name:literal) => {
        Schema { name: $name, source: Source::File(include_str!(concat!("../schemas/", $name, ".json"))) }
    };
}

impl Schema {
    /// All schemas, in the order of docs/reference/json.md.
    pub const ALL: &[Self] = &[
        of_type::<WeighDocument>("weigh", Required::Only(REPLAYED)),
        of_type::<LoadDocument>("load", Required::Also(&["seed"])),
        of_type::<ProveDocument>("prove", Required::Also(&["seed"])),
        of_file!("fix"),
        of_type::<ProfileDocument>("profile", Required::Written),
        of_type::<ProfileDiffDocument>("profile-diff", Required::Written),
        of_type::<BillDocument>("bill", Required::Written),
        of_file!("compare"),
        of_file!("trend"),
        of_file!("classmap"),
        of_type::<ClassmapCheckDocument>("classmap-check", Required::Written),
        of_file!("classmap-explain"),
        of_file!("serve"),
        of_file!("purge"),
        of_file!("doctor"),
        of_file!("rules"),
        of_file!("runs"),
        of_file!("run"),
    ];

    /// Finds a schema by its name, which may also be written as in documents: `unladen.weigh/1`.
    pub fn named(name: &str) -> Option<&'static Self> {
        let short = name.strip_prefix("unladen.").and_then(|rest| rest.strip_suffix("/1")).unwrap_or(name);
        Self::ALL.iter().find(|schema| schema.name == short)
    }

    /// As `unladen schema` prints it.
    pub fn json(&self) -> Value {
        let (make, required) = match self.source {
            Source::File(text) => return serde_json::from_str(text).unwrap_or_default(),
            Source::Type(make, required) => (make, required),
        };
        // What is written, not what is read: fields that old documents lack are always there.
        let mut schema = make(SchemaSettings::draft2020_12().for_serialize().into_generator());
        schema.insert("$id".to_owned(), format!("urn:unladen:schema:{}:1", self.name).into());
        RecursiveTransform(plain).transform(&mut schema);
        if let Some(Value::Array(written)) = schema.get_mut("required") {
            match required {
                Required::Written => {}
                Required::Also(names) => written.extend(names.iter().copied().map(Value::from)),
                Required::Only(names) => *written = names.iter().copied().map(Value::from).collect(),
            }
        }
        schema.to_value()
    }

    /// Its subject in a few words.
    pub fn title(&self) -> String {
        self.json()["title"].as_str().unwrap_or_default().to_owned()
    }
}

/// Removes what is of Rust alone, and the line breaks of descriptions.
fn plain(schema: &mut schemars::Schema) {
    for of_rust in ["default", "format", "maximum"] {
        schema.remove(of_rust);
    }
    if schema.get("const").is_some() {
        schema.remove("type");
    }
    if let Some(Value::String(description)) = schema.get_mut("description") {
        *description = description.replace('\n', " ");
    }
    let required = schema.get("required").cloned().unwrap_or_default();
    let required: Vec<&str> = required.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        let skipped = fields.iter_mut().filter(|(name, _)| !required.contains(&name.as_str()));
        skipped.for_each(|(_, field)| not_null(field));
    }
}

/// Of a field that is skipped where it would be null.
fn not_null(field: &mut Value) {
    if let Some(kinds) = field["type"].as_array() {
        let kind = kinds.iter().find(|kind| *kind != "null").cloned();
        field["type"] = kind.unwrap_or_default();
    } else if let Some(all) = field.get("anyOf").and_then(Value::as_array) {
        let target = all.iter().find_map(|one| one.get("$ref")).cloned();
        if let (Some(target), Some(field)) = (target, field.as_object_mut()) {
            field.remove("anyOf");
            field.insert("$ref".to_owned(), target);
        }
    }
}

#[cfg(test)]
mod tests;
