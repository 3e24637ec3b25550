//! The principal type is [`Answers`]: what a page answers, and to what; see
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

/// What a page answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    pub status: u16,
    /// Its headers, names in small letters; of the cookies that it sets, the values are left out: they let who has
    /// them in.
    pub headers: Vec<(String, String)>,
    /// Its length as sent, bytes.
    pub body_bytes: u64,
    /// Answers to the plain request.
    pub answers: u64,
    /// How many of them had another status or another body than the first.
    pub changed: u64,
    /// The request carries a cookie or authorisation of its own.
    pub personal: bool,
    /// What else was asked, and what came.
    pub variations: Vec<Variation>,
    /// What else was not asked or not answered.
    pub left_out: Vec<LeftOut>,
}

/// The same page asked for otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variation {
    pub ask: Ask,
    /// The header that was sent, `accept-language: de`, or two of them with `; ` in between. Cookies that the user gave
    /// are sent as well and not shown, and neither is the value of those that the page has set.
    pub header: String,
    /// The status that came.
    pub status: u16,
    /// Its headers, as in [`Answers::headers`].
    pub headers: Vec<(String, String)>,
    /// Its length as sent, bytes.
    pub body_bytes: u64,
    /// Whether the answer is that to the plain request, but for what changes from answer to answer anyway: the status,
    /// the body (unpacked, if it was gzip), and where a redirect points. `None` if that cannot be told: of 304 and HEAD
    /// there is no body; larger bodies than 4 MiB are not kept; and of a page of which most changes, nothing can be
    /// said.
    pub same: Option<bool>,
    /// Its latency over that of the plain request, a ratio; only of 304.
    pub cost: Option<Estimate>,
}

/// In which way a page is asked for otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ask {
    /// With its own validators: If-None-Match, If-Modified-Since.
    #[default]
    Conditional,
    /// With `Accept-Encoding: gzip, br, zstd`.
    Compressed,
    /// In another language. Of the two that are asked for, one that gets another answer, else the first.
    Language,
    /// With the cookies that it sets.
    Cookie,
    /// With a cookie that nobody knows.
    UnknownCookie,
}

/// What was not asked, or not answered, or whose cost is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub ask: Ask,
    /// Why: `the page sets no cookie`.
    pub why: String,
    /// It could have been asked of this page: what the answer would have shown is not known.
    pub applies: bool,
}

impl Answers {
    /// The answer to another way of asking.
    pub fn variation(&self, ask: Ask) -> Option<&Variation> {
        self.variations.iter().find(|variation| variation.ask == ask)
    }

    /// The names of the cookies that the plain answer sets.
    pub fn cookies_set(&self) -> impl Iterator<Item = &str> {
        let lines = self.headers.iter().filter(|(name, _)| name == header::SET_COOKIE.as_str());
        lines.filter_map(|(_, value)| Some(value.split_once('=')?.0))
    }

    /// All that is known from one answer.
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

/// The headers as text, without the values of cookies.
pub(crate) fn shown(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |name: &header::HeaderName, value: &header::HeaderValue| {
        let value = String::from_utf8_lossy(value.as_bytes());
        if *name == header::SET_COOKIE { without_value(&value) } else { value.into_owned() }
    };
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(name, value))).collect()
}

/// `sid=…; path=/` of `sid=4711; path=/`.
fn without_value(cookie: &str) -> String {
    let (pair, attributes) = cookie.split_at(cookie.find(';').unwrap_or(cookie.len()));
    let name = pair.split_once('=').map_or("", |(name, _)| name.trim());
    format!("{name}=…{attributes}")
}
