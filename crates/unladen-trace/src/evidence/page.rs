//! The principal type is [`Page`]: what was requested, and its undisturbed weight. [`Carried`] is what the request
//! carries besides method and URL, so that it can be sent again; [`Response`] what is answered, and to what.

use serde::{Deserialize, Serialize};

use crate::series::Interval;

/// The page, measured before anything was traced.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Page {
    pub url: String,
    pub method: String,
    #[serde(skip_serializing_if = "Carried::is_empty")]
    pub carried: Carried,
    /// Requests counted in the traced phases.
    pub requests: u64,
    /// Mean, ns; for first requests in [`State::Fresh`].
    pub latency: Option<Interval>,
    /// Mean of the traced requests, ns: shows how much tracing slows them down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traced_latency: Option<Interval>,
    /// CPU of all groups that follow, ns a request.
    pub cpu: Option<Interval>,
    /// Latency of the very first request sent, ns, in whatever state the page was left.
    pub first_ns: Option<u64>,
    /// Longest latency of all later undisturbed ones, ns.
    pub longest_ns: Option<u64>,
    /// In [`State::Fresh`]: mean of later requests, ns.
    pub warm_latency: Option<Interval>,
    /// In [`State::Fresh`]: the command that restarted the processes.
    pub restart: Option<String>,
}

/// The state of the processes that answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// They have answered before.
    #[default]
    Warm,
    /// They have just been started: this is their first request.
    Fresh,
}

/// What a request carries, without the values of secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Carried {
    /// Given headers in order.
    pub headers: Vec<HeaderCarried>,
    pub body: Option<BodyCarried>,
    /// Unusual ways of sending: options of the command line, such as `--http` and `2`.
    pub options: Vec<OptionCarried>,
}

/// A header of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HeaderCarried {
    /// In lower case.
    pub name: String,
    /// `None` if it may be secret.
    pub value: Option<String>,
}

/// The body of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BodyCarried {
    pub bytes: u64,
    /// Its text; `None` if long, binary, or possibly secret.
    pub text: Option<String>,
}

/// An option of the command line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptionCarried {
    /// `--http`
    pub name: String,
    /// `2`; `None` for a switch.
    pub value: Option<String>,
}

impl Carried {
    /// Whether it is a plain request for the URL.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

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
