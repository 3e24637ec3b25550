//! The principal type is [`Record`]: a purge as a bus carries it.

use serde::{Deserialize, Serialize};

/// A purge as a bus carries it: JSON of a version, with no field that is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Who says it.
    pub node: String,
    /// Which of its records this is.
    pub number: u64,
    /// Which site is meant; none: all.
    pub site: Option<String>,
    /// Which pages are.
    pub what: What,
    /// They are to be asked about, and not gone.
    pub is_soft: bool,
}

/// What is to be forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum What {
    Url(Page),
    /// All pages whose URL begins so.
    Prefix(Page),
    Tag(String),
    /// Everything.
    All,
}

/// Where a page is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// None: by http and https.
    #[serde(rename = "https", default, skip_serializing_if = "Option::is_none")]
    pub is_https: Option<bool>,
    /// As in `Host`; empty: of requests without one.
    pub authority: String,
    /// Path and query.
    pub target: String,
}

/// Why a record cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// It is of a version that this program does not know.
    #[error("it is of version {0}, and this program knows version {VERSION}: another node is of a newer version")]
    Newer(u32),
    #[error("it has {0} bytes; {LONGEST} are the most")]
    TooLong(usize),
    #[error("it is no record of a purge: {0}")]
    Malformed(String),
}

/// Bytes of a record, at most.
pub const LONGEST: usize = 20 * 1024;
/// Of this form. A node that reads a higher one asks about everything that it stores.
const VERSION: u32 = 1;
/// Bytes of a node's name, at most.
const LONGEST_NODE: usize = 256;
/// Of an authority or a target that would make a record too long, so much is kept, as the beginning of all that is
/// meant: however it is escaped, it fits.
const BEGINNING: usize = 1024;

/// As it is written.
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

/// What all versions have.
#[derive(Deserialize)]
struct Versioned {
    v: u32,
}

impl Record {
    /// Its bytes. What would be too long means more pages instead: all that begin so; or everything, to be asked about.
    pub fn write(&self) -> String {
        let text = self.text();
        if text.len() <= LONGEST {
            return text;
        }
        let wider = match &self.what {
            // Never more than that: clients choose what they send requests to, and how long it is.
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
        // There is nothing in it that JSON cannot hold.
        serde_json::to_string(&written).unwrap_or_default()
    }

    /// Of its bytes.
    ///
    /// # Errors
    /// If it is none, or one of a newer version: it may mean anything.
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
