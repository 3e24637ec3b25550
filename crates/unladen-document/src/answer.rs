//! The principal type is [`Answer`]: the answer to the request for a page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unladen_quantity::{Kind, plain};

/// The answer to the request for a page. Its texts come from outside: whoever creates it limits their length and
/// removes control characters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Answer {
    /// The name of the request, as in tables.
    pub request: String,
    /// The status.
    pub status: u16,
    /// `text/html`; empty where the answer does not say.
    pub media_type: String,
    /// The size of the body in bytes, as it was sent.
    pub bytes: u64,
    /// The size of the body in bytes, unpacked, where it was coded and could be unpacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decoded_bytes: Option<u64>,
    /// `gzip`; empty without a coding.
    pub coding: String,
    /// The title of a page in HTML; empty without one.
    pub title: String,
    /// Its first words where it has no title; of JSON, the names of its members.
    pub words: String,
    /// Where it redirects to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The header that says that a cache answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
    /// XXH3 of the body, unpacked where it can be, in hex.
    pub digest: String,
    /// Why this may not be the page that was meant, and what to do, each a sentence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
}

/// Readable names of media types, by a part of the type.
const KINDS: [(&str, &str); 9] = [
    ("html", "HTML"),
    ("json", "JSON"),
    ("javascript", "JavaScript"),
    ("svg", "SVG"),
    ("xml", "XML"),
    ("text/plain", "plain text"),
    ("text/css", "CSS"),
    ("image/jpeg", "JPEG"),
    ("image/png", "PNG"),
];

impl Answer {
    /// Half a line: `"Main Page", 200, 17.1 kB of HTML, gzip (54.2 kB unpacked)`.
    pub fn told(&self) -> String {
        let mut parts = Vec::new();
        match (self.title.is_empty(), self.words.is_empty()) {
            (false, _) => parts.push(format!("\"{}\"", self.title)),
            (true, false) => parts.push(self.words.clone()),
            (true, true) => {}
        }
        parts.push(match &self.location {
            Some(location) => format!("{} to {location}", self.status),
            None => self.status.to_string(),
        });
        let kind = KINDS.iter().find(|(part, _)| self.media_type.contains(part)).map(|(_, kind)| *kind);
        let kind = kind.unwrap_or(&self.media_type);
        let of = if kind.is_empty() { String::new() } else { format!(" of {kind}") };
        parts.push(format!("{}{of}", plain(Kind::Bytes, self.bytes as f64)));
        if !self.coding.is_empty() {
            let unpacked = self.decoded_bytes.map(|bytes| format!(" ({} unpacked)", plain(Kind::Bytes, bytes as f64)));
            parts.push(format!("{}{}", self.coding, unpacked.unwrap_or_default()));
        }
        if let Some(cache) = &self.cache {
            parts.push(format!("from a cache ({cache})"));
        }
        parts.join(", ")
    }

    /// Size of the content in bytes, unpacked if known.
    pub fn content_bytes(&self) -> u64 {
        self.decoded_bytes.unwrap_or(self.bytes)
    }
}

#[cfg(test)]
mod tests;
