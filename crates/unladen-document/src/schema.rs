//! The principal type is [`Schema`]: the format of a document, for other programs.

/// The JSON Schema (2020-12) of a document that `--json` writes.
///
/// Required fields stay, with their types, as long as the number of the document's schema does. Fields may be added,
/// and readers have to ignore unknown ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// `weigh`, for `unladen.weigh/1`.
    pub name: &'static str,
    pub text: &'static str,
}

/// From file names in `schemas/`.
macro_rules! schemas {
    ($($name:literal),* $(,)?) => {
        &[$(Schema { name: $name, text: include_str!(concat!("../schemas/", $name, ".json")) }),*]
    };
}

impl Schema {
    /// All schemas, in the order of docs/reference/json.md.
    pub const ALL: &[Self] = schemas![
        "weigh",
        "load",
        "prove",
        "fix",
        "profile",
        "profile-diff",
        "bill",
        "compare",
        "trend",
        "classmap",
        "classmap-check",
        "classmap-explain",
        "serve",
        "purge",
        "doctor",
        "rules",
        "runs",
        "run",
    ];

    /// Finds a schema by its name, which may also be written as in documents: `unladen.weigh/1`.
    pub fn named(name: &str) -> Option<&'static Self> {
        let short = name.strip_prefix("unladen.").and_then(|rest| rest.strip_suffix("/1")).unwrap_or(name);
        Self::ALL.iter().find(|schema| schema.name == short)
    }

    /// Its subject in a few words.
    pub fn title(&self) -> String {
        let schema: serde_json::Value = serde_json::from_str(self.text).unwrap_or_default();
        schema.get("title").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests;
