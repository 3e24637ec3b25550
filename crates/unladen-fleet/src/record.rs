//! The principal type is [`Record`]: a purge as a bus carries it.

use serde::{Deserialize, Serialize};

/// A purge as a bus carries it: versioned JSON, without unknown fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub node: String,
    pub number: u64,
    /// `None` for all sites.
    pub site: Option<String>,
    pub what: What,
    pub is_soft: bool,
}

/// Pages to forget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum What {
    Url(Page),
    Prefix(Page),
    Tag(String),
    All,
}

/// Address of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// `None` for http and https.
    #[serde(rename = "https", default, skip_serializing_if = "Option::is_none")]
    pub is_https: Option<bool>,
    /// As in `Host`; empty for requests without one.
    pub authority: String,
    pub target: String,
}

/// Why a record cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    #[error("it is of version {0}, and this program knows version {VERSION}: another node is of a newer version")]
    Newer(u32),
    #[error("it has {0} bytes; {LONGEST} are the most")]
    TooLong(usize),
    #[error("it is no record of a purge: {0}")]
    Malformed(String),
}

/// Maximum bytes of a record.
pub const LONGEST: usize = 20 * 1024;
/// Version of this form. A node that reads a higher one revalidates everything that it stores.
const VERSION: u32 = 1;
const LONGEST_NODE: usize = 256;
/// Bytes kept of an authority or a target that would make a record too long, as a prefix: it fits, however it is
/// escaped.
const BEGINNING: usize = 1024;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    v: u32,
    node: String,
    n: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    site: Option<String>,
    what: What,
    #[serde(default)]
    soft: bool,
}

#[derive(Deserialize)]
struct Versioned {
    v: u32,
}

impl Record {
    /// Encodes it. An overlong one is widened: to all pages with a prefix; or to everything, as a soft purge.
    pub fn write(&self) -> String {
        let text = self.text();
        if text.len() <= LONGEST {
            return text;
        }
        let wider = match &self.what {
            // Never narrower: clients choose the request targets, and their length.
            What::Url(page) | What::Prefix(page) => {
                let beginning = |text: &str| text[..text.floor_char_boundary(BEGINNING)].to_owned();
                let authority = beginning(&page.authority);
                let target =
                    if authority.len() < page.authority.len() { String::new() } else { beginning(&page.target) };
                What::Prefix(Page { authority, target, ..page.clone() })
            }
            What::Tag(_) | What::All => What::All,
        };
        let is_soft = self.is_soft || wider == What::All;
        Self { what: wider, is_soft, ..self.clone() }.text()
    }

    fn text(&self) -> String {
        let Self { node, number, site, what, is_soft } = self.clone();
        let written = Written { v: VERSION, node, n: number, site, what, soft: is_soft };
        // JSON can hold all of its content.
        serde_json::to_string(&written).unwrap_or_default()
    }

    /// Decodes it.
    ///
    /// # Errors
    /// If it is no record, or one of a newer version, which may mean anything.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordError> {
        if bytes.len() > LONGEST {
            return Err(RecordError::TooLong(bytes.len()));
        }
        let malformed = |error: serde_json::Error| RecordError::Malformed(error.to_string());
        let Versioned { v } = serde_json::from_slice(bytes).map_err(malformed)?;
        if v > VERSION {
            return Err(RecordError::Newer(v));
        }
        let Written { v, node, n, site, what, soft } = serde_json::from_slice(bytes).map_err(malformed)?;
        let wrong = |words: &str| Err(RecordError::Malformed(words.to_owned()));
        if v != VERSION {
            return wrong("there is no version 0");
        }
        if node.is_empty() || node.len() > LONGEST_NODE {
            return wrong("the name of the node is empty or too long");
        }
        Ok(Self { node, number: n, site, what, is_soft: soft })
    }
}

#[cfg(test)]
mod tests;
