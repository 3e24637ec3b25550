//! The principal type is [`Schema`]: what a document looks like, for programs of others.

#[cfg(test)]
mod tests;

/// The JSON Schema (2020-12) of a document that `--json` writes.
///
/// A field that it requires stays as long as the number of the document's schema does, and so does its type; fields may
/// be added, and a reader has to ignore those that it does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// `weigh`, of `unladen.weigh/1`.
    pub name: &'static str,
    /// The schema itself.
    pub text: &'static str,
}

/// By their files in `schemas/`.
macro_rules! schemas {
    ($($name:literal),* $(,)?) => {
        &[$(Schema { name: $name, text: include_str!(concat!("../schemas/", $name, ".json")) }),*]
    };
}

impl Schema {
    /// All of them, in the order of docs/reference/json.md.
    pub const ALL: &[Self] = schemas![
        "weigh",
        "load",
        "prove",
        "profile",
        "profile-diff",
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

    /// The one of this name, which may be written as documents do: `unladen.weigh/1`.
    pub fn named(name: &str) -> Option<&'static Self> {
        let short = name.strip_prefix("unladen.").and_then(|rest| rest.strip_suffix("/1")).unwrap_or(name);
        Self::ALL.iter().find(|schema| schema.name == short)
    }

    /// What it is of, in a few words.
    pub fn title(&self) -> String {
        let schema: serde_json::Value = serde_json::from_str(self.text).unwrap_or_default();
        schema.get("title").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    }
}
