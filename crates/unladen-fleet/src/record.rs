//! The principal type is [`Record`]: a purge as a bus carries it; [`Position`] is its place, and [`Forget`] takes it.

use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::BusError;

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
    #[error("it has version {0}, but this program knows version {VERSION}: another node runs a newer version")]
    Newer(u32),
    #[error("it has {0} bytes; at most {LONGEST} are allowed")]
    TooLong(usize),
    #[error("it is not a purge record: {0}")]
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

impl Page {
    /// Parses `https://host/path?query`, or for both schemes `//host/path` or `host/path`. Nothing is decoded or
    /// resolved: it is as clients request it, without the fragment, which they do not send.
    ///
    /// # Errors
    /// If it is no address of a page; in words.
    pub fn read(url: &str) -> Result<Self, String> {
        let is_told = |b: u8| b <= b' ' || b == 0x7f;
        if url.bytes().any(is_told) {
            return Err(format!("{url:?} has blanks or control characters: write them as %20 and so on"));
        }
        let (is_https, rest) = match url.split_once("://") {
            // A query may contain a URL.
            Some((scheme, rest)) if !scheme.contains(['/', '?', '#']) => match scheme {
                scheme if scheme.eq_ignore_ascii_case("https") => (Some(true), rest),
                scheme if scheme.eq_ignore_ascii_case("http") => (Some(false), rest),
                _ => return Err(format!("{url:?} is neither http nor https")),
            },
            _ => (None, url.strip_prefix("//").unwrap_or(url)),
        };
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.is_empty() {
            return Err(format!("{url:?} has no host: expected https://host/path"));
        }
        if authority.contains('@') {
            return Err(format!("{url:?} has a user, but pages are stored without users"));
        }
        let slash = if target.starts_with('/') { "" } else { "/" };
        Ok(Self { is_https, authority: authority.to_owned(), target: format!("{slash}{target}") })
    }
}

/// Storage that a fleet purges. Records from the bus can only make it forget.
pub trait Forget: std::fmt::Debug + Send + Sync {
    /// Forgets before it returns; if soft, revalidates before the next use. `site` is `None` for all; an unknown site
    /// stores nothing. Called where it may block. Returns the number of responses.
    fn forget(&self, site: Option<&str>, what: &What, is_soft: bool) -> u64;

    fn doubt(&self);

    fn tell(&self, news: &News);
}

/// News of the fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum News {
    CutOff {
        why: Option<BusError>,
    },
    Connected {
        /// Time without connection; `None` for the first connection.
        after: Option<Duration>,
    },
    /// The missed purges are unknown: everything stored is revalidated.
    Lost {
        why: &'static str,
        /// Number since the last report.
        times: u64,
    },
    /// A record cannot be read: everything stored is revalidated.
    Unreadable {
        why: String,
        /// Number since the last report.
        times: u64,
    },
    /// Too many purges wait for the engine: once it is reached, all nodes revalidate everything.
    Overflow,
    Untold,
}

impl News {
    /// Cause of [`News::Untold`], and advice.
    pub const UNTOLD: &'static str = "notifications of one session do not reach another, so purges come up to a \
        second late; a transaction pooler in between (PgBouncer) breaks LISTEN: use the server's own address";
}

/// A position in an engine's order of records.
///
/// Two positions can only be compared within an epoch. An engine that may have lost something, as after a restart or a
/// take-over, has another epoch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, derive_more::Display)]
#[display("{epoch}/{index}")]
pub struct Position {
    epoch: String,
    index: u64,
}

const LONGEST_EPOCH: usize = 80;

// === impl Position ===

impl Position {
    /// `None` unless the epoch is 1 to 80 letters, digits, `.`, `-` and `_`.
    pub fn new(epoch: &str, index: u64) -> Option<Self> {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        let is_epoch = (1..=LONGEST_EPOCH).contains(&epoch.len()) && epoch.bytes().all(is_known);
        is_epoch.then(|| Self { epoch: epoch.to_owned(), index })
    }

    /// The history that it belongs to.
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Number of records up to and including it.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Whether `other` is at or before this.
    pub fn has_reached(&self, other: &Self) -> bool {
        self.epoch == other.epoch && self.index >= other.index
    }
}

impl FromStr for Position {
    type Err = BusError;

    fn from_str(text: &str) -> Result<Self, BusError> {
        let wrong = || BusError::Answer("a position is not of the form EPOCH/NUMBER".to_owned());
        let (epoch, index) = text.split_once('/').ok_or_else(wrong)?;
        // Only the canonical form: `+7` and `07` are refused.
        let is_plain = !index.starts_with(['+', '0']) || index == "0";
        let index = index.parse().ok().filter(|_| is_plain).ok_or_else(wrong)?;
        Self::new(epoch, index).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests;
