//! The principal type is [`Answers`]: a page's answers to variations of a request; see
//! [`Driver::inquire`](crate::Driver::inquire).
//!
//! ```
//! use unladen_load::{Answers, Ask, Variation};
//!
//! let gzip = Variation { ask: Ask::Compressed, header: "accept-encoding: gzip, br, zstd".into(), ..Variation::default() };
//! let answers = Answers { status: 200, variations: vec![gzip], ..Answers::default() };
//! assert!(answers.variation(Ask::Compressed).is_some_and(|variation| variation.same.is_none()));
//! ```

use http::{HeaderMap, header};
use unladen_lockin::Estimate;

use crate::request::Request;
use crate::sample::Sample;

/// What a page answers to the plain request and to variations of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    pub status: u16,
    /// Names in lower case. Values of cookies that it sets are left out, since they grant access.
    pub headers: Vec<(String, String)>,
    /// Length as sent, bytes.
    pub body_bytes: u64,
    pub answers: u64,
    /// Answers whose status or body differed from the first.
    pub changed: u64,
    /// The request carries a cookie or authorisation of its own.
    pub personal: bool,
    pub variations: Vec<Variation>,
    pub left_out: Vec<LeftOut>,
}

/// The same page with a request changed in one way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variation {
    pub ask: Ask,
    /// Header that was sent, `accept-language: de`, or two of them with `; ` in between. The user's cookies are sent
    /// but not shown; neither are values of cookies that the page set.
    pub header: String,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// Length as sent, bytes.
    pub body_bytes: u64,
    /// Whether status, body (unpacked, if gzip) and redirect target equal the plain answer's, apart from what changes
    /// between answers anyway. `None` if that is unknown: 304 and HEAD have no body, bodies above 4 MiB are not kept,
    /// and a page that mostly changes cannot be judged.
    pub same: Option<bool>,
    /// Ratio of its latency to that of the plain request; only for 304.
    pub cost: Option<Estimate>,
}

/// How a variation differs from the plain request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// Its own validators: If-None-Match, If-Modified-Since.
    #[default]
    Conditional,
    /// `Accept-Encoding: gzip, br, zstd`.
    Compressed,
    /// Another language. Two are requested: the one with another answer is taken, else the first.
    Language,
    Cookie,
    UnknownCookie,
}

/// A variation that was not sent or not answered, or whose cost is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub ask: Ask,
    pub why: String,
    /// The variation makes sense for this page: what its answer would show is unknown.
    pub applies: bool,
}

impl Answers {
    /// Answer to this variation.
    pub fn variation(&self, ask: Ask) -> Option<&Variation> {
        self.variations.iter().find(|variation| variation.ask == ask)
    }

    pub(crate) fn of(request: &Request, sample: &Sample) -> Self {
        Self {
            status: sample.status.as_u16(),
            headers: shown(&sample.headers),
            body_bytes: sample.exchange.body_bytes,
            answers: 1,
            personal: [header::COOKIE, header::AUTHORIZATION].iter().any(|name| request.headers().contains_key(name)),
            ..Self::default()
        }
    }
}

/// Headers as text, without the values of cookies.
pub(crate) fn shown(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |name: &header::HeaderName, value: &header::HeaderValue| {
        let value = String::from_utf8_lossy(value.as_bytes());
        if *name == header::SET_COOKIE { without_value(&value) } else { value.into_owned() }
    };
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(name, value))).collect()
}

/// `sid=4711; path=/` becomes `sid=…; path=/`.
fn without_value(cookie: &str) -> String {
    let (pair, attributes) = cookie.split_at(cookie.find(';').unwrap_or(cookie.len()));
    let name = pair.split_once('=').map_or("", |(name, _)| name.trim());
    format!("{name}=…{attributes}")
}
