//! The principal type is [`Response`]: what the page answers, and to what.

use serde::{Deserialize, Serialize};

use crate::interval::Interval;

/// What the page answers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Response {
    pub status: u16,
    /// Its headers, names in small letters.
    pub headers: Vec<(String, String)>,
    /// Its length as sent, bytes.
    pub body_bytes: u64,
    /// Answers looked at.
    pub answers: u64,
    /// How many had another body than the first.
    pub changed: u64,
    /// The request carried a cookie or authorisation of its own.
    pub personal: bool,
    /// What else was asked, and what came.
    pub variants: Vec<Variant>,
    /// What else should have been asked, and has no answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unanswered: Vec<Unanswered>,
}

/// A way to ask for the page that brought no answer to look at.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Unanswered {
    pub ask: Ask,
    /// Why: `the page is slow, and 20 s were over`.
    pub why: String,
}

/// The same page asked for otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variant {
    pub ask: Ask,
    /// The header that was sent, `accept-language: de`.
    pub header: String,
    /// The status that came.
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// Its length as sent, bytes.
    pub body_bytes: u64,
    /// Whether the body is that of the plain request, but for what changes from answer to answer anyway.
    pub same: Option<bool>,
    /// Its latency over that of the plain request, alternating: a ratio.
    pub cost: Option<Interval>,
}

/// In which way the page was asked for otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// With its own validators: If-None-Match, If-Modified-Since.
    #[default]
    Conditional,
    /// With `Accept-Encoding: gzip, br, zstd`.
    Compressed,
    /// In another language.
    Language,
    /// With the cookies that it sets.
    Cookie,
    /// With a cookie that nobody knows.
    UnknownCookie,
}

impl Response {
    /// The first header of that name (in small letters).
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
    /// The first header of that name (in small letters).
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }
}

fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
}
