//! The principal type is [`Response`]: what the page answers, and to what.

use serde::{Deserialize, Serialize};

use crate::interval::Interval;

/// What the page answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Response {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// As sent.
    pub body_bytes: u64,
    pub answers: u64,
    /// How many had another body than the first.
    pub changed: u64,
    /// The request carried a cookie or authorisation of its own.
    pub personal: bool,
    pub variants: Vec<Variant>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
}

/// A way to ask for the page that brought no answer to examine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Unanswered {
    pub ask: Ask,
    /// `the page is slow, and 20 s were over`.
    pub why: String,
}

/// The same page asked for differently.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variant {
    pub ask: Ask,
    /// The header sent, `accept-language: de`.
    pub header: String,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// As sent.
    pub body_bytes: u64,
    /// Whether the body equals that of the plain request, except for what changes between answers anyway.
    pub same: Option<bool>,
    /// Ratio of its latency to that of the plain request, alternating.
    pub cost: Option<Interval>,
}

/// Another way to ask for the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// With its own validators: If-None-Match, If-Modified-Since.
    #[default]
    Conditional,
    /// With `Accept-Encoding: gzip, br, zstd`.
    Compressed,
    Language,
    /// With the cookies that it sets.
    Cookie,
    UnknownCookie,
}

impl Response {
    /// The first header of that name (in lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// All headers of that name.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.headers.iter().filter(move |(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// The answer to another way of asking.
    pub fn variant(&self, ask: Ask) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.ask == ask)
    }
}

impl Variant {
    /// The first header of that name (in lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
}
