//! The principal type is [`Answer`]: the answer to the request for a page.

use serde::{Deserialize, Serialize};
use unladen_quantity::{Kind, plain};

/// The answer to the request for a page. Its texts come from outside: whoever creates it limits their length and
/// removes control characters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Answer {
    /// Name of the request, as in tables.
    pub request: String,
    pub status: u16,
    /// `text/html`; empty if not given.
    pub media_type: String,
    /// Size of the body as sent.
    pub bytes: u64,
    /// Unpacked size of the body, if it was coded and could be unpacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decoded_bytes: Option<u64>,
    /// `gzip`; empty without a coding.
    pub coding: String,
    /// Title of an HTML page.
    pub title: String,
    /// First words of a page without a title; for JSON, the names of members.
    pub words: String,
    /// Target of a redirect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Header that shows that a cache answered: `Age: 30`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<String>,
    /// XXH3 of the body in hex, unpacked if possible.
    pub digest: String,
    /// Sentences: why this may not be the intended page, and what to do.
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
