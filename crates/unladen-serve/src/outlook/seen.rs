//! The principal type is [`Outlook`]: the findings about a request.

use std::collections::BTreeMap;

use serde::Serialize;
use unladen_cache::{Freshness, NoStore, Nominated};
use unladen_validator::{Validator, ValidatorSource};

/// What becomes of a request for a URL, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outlook {
    pub url: String,
    pub listener: String,
    pub site: Option<String>,
    pub outbound: Option<String>,
    /// Entry of the site's `hosts` that matches; `None` if the site takes all names no other site there has.
    pub host: Option<String>,
    /// `None` if the site has no routes.
    pub route: Option<RouteSeen>,
    pub notes: Vec<String>,
    pub rule: Rule,
    /// Cache key; `None` if the cache is not asked.
    pub key: Option<String>,
    pub cookies: Vec<CookieSeen>,
    /// Those whose path fits, in order: the first is asked.
    pub validators: Vec<ValidatorSeen>,
    /// The validator's answer; `None` if it gave none, or was not asked.
    pub label: Option<String>,
    /// The application's answer; `None` if there is none, or it was not asked.
    pub answer: Option<AnswerSeen>,
    /// Whether the page is kept; `None` if that depends on the application's answer.
    pub kept: Option<bool>,
    pub why_not: Vec<WhyNot>,
    /// If it depends: why a plain `200` would not be kept; empty if it would.
    pub needs: Vec<WhyNot>,
    pub kept_for: Option<KeptFor>,
}

/// What decides whether a page is kept, and current.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// A validator says whether it is current.
    Validator,
    /// The application says how long it is fresh.
    #[default]
    Lifetime,
    /// The request goes past the cache.
    Passes,
    NoCache,
    /// Outbounds cache nothing.
    Outbound,
    Redirect,
    /// The route answers by itself, or keeps nothing.
    Route,
}

/// The route that takes a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RouteSeen {
    /// `None` if no `[[site.route]]` fits, and the site's default applies.
    pub name: Option<String>,
    /// Line in the file, from 1; `None` if there is none, or it is in a preset.
    pub line: Option<usize>,
    pub because: Vec<String>,
    pub answers: String,
    /// The file or script for the path; `None` if there is no folder.
    pub comes_to: Option<String>,
}

/// A reason why a page is not kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WhyNot {
    /// Reason code, as in `Cache-Status`.
    pub reason: &'static str,
    /// What it means, and what to do.
    pub message: &'static str,
}

/// A cookie of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CookieSeen {
    pub name: String,
    /// Whether it tells users apart.
    pub counts: bool,
}

/// A validator for the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValidatorSeen {
    /// Its place among the site's, from 1.
    pub number: usize,
    /// Pages that it covers.
    pub path: String,
    /// Values in the page's path.
    pub parameters: BTreeMap<String, String>,
    /// The query, the file, or `HEAD`.
    pub asks: String,
}

/// The application's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerSeen {
    pub status: u16,
    /// Fields about caching; of cookies only the names.
    pub fields: Vec<(String, String)>,
    /// Length of the body.
    pub bytes: u64,
}

/// For whom a page is kept, and how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeptFor {
    /// Whether requests with cookies that tell users apart get it too.
    pub with_cookies: bool,
    /// The fields of `Vary`.
    pub varies_by: Vec<String>,
    /// Whether a validator says how long.
    pub validated: bool,
    /// Seconds it stays fresh by itself.
    pub fresh_seconds: u64,
}

impl ValidatorSeen {
    pub(super) fn new(index: usize, validator: &Validator, values: Vec<String>) -> Self {
        let settings = validator.settings();
        let names = validator.pattern().names().iter().cloned();
        let asks = match &settings.source {
            ValidatorSource::Postgres { query, .. }
            | ValidatorSource::MySql { query, .. }
            | ValidatorSource::Sqlite { query, .. } => query.clone(),
            ValidatorSource::File { path } => path.clone(),
            ValidatorSource::Head => "HEAD".to_owned(),
        };
        Self { number: index + 1, path: settings.path.clone(), parameters: names.zip(values).collect(), asks }
    }
}

impl KeptFor {
    pub(super) fn new(freshness: &Freshness, nominated: &Nominated, validated: bool) -> Self {
        Self {
            with_cookies: freshness.shared_with_cookies,
            varies_by: nominated.0.iter().map(|name| shown(name)).collect(),
            validated,
            fresh_seconds: if freshness.no_cache {
                0
            } else {
                freshness.lifetime.saturating_sub(freshness.initial_age).as_secs()
            },
        }
    }
}

impl WhyNot {
    pub(super) fn of_answer(why: NoStore) -> Self {
        let message = match why {
            NoStore::Method => "only GET and HEAD are stored",
            NoStore::RequestNoStore => "the request says `Cache-Control: no-store`",
            NoStore::Status => {
                "an answer with this status applies only to this request, or is not stored (under a validator: \
                 `cache.statuses`): check the application's answer"
            }
            NoStore::OddRequest => {
                "it is an error that the request itself may have caused: it is large, or has bytes or fields that \
                 servers refuse"
            }
            NoStore::NoStore => "the application sends `no-store`: it must not, where a page is the same for all",
            NoStore::Private => "the application sends `private`: it must not, where a page is the same for all",
            NoStore::Authorization => {
                "the request has `Authorization`, but the answer has neither `public` nor `s-maxage`, which would \
                 allow others to get it"
            }
            NoStore::SetCookie => {
                "the answer sets a cookie: make the application start sessions only where needed, or see \
                 `store_set_cookie`"
            }
            NoStore::VaryAll => {
                "the answer depends on something that a cache cannot know: `Vary: *`, or the client's address; make \
                 the application name fields"
            }
            NoStore::NoLifetime => {
                "the answer has neither a lifetime (`Cache-Control: max-age=60`) nor `ETag` or `Last-Modified`: \
                 give it one, or write a [[site.validator]] for its path"
            }
            NoStore::Cookies => {
                "the request has cookies that distinguish users, and the answer does not allow others to get it, with \
                 `s-maxage`, `CDN-Cache-Control` or `Vary: Cookie`: make the application send one of these, or list \
                 cookies that do not matter in `ignore_cookies`"
            }
            NoStore::TooLarge => "its body is longer than `cache.largest`",
        };
        Self { reason: why.into_str(), message }
    }

    pub(super) fn of_request(why: &'static str) -> Self {
        match why {
            "label-settling" => Self {
                reason: why,
                message: "the validator's label is a time in whole seconds that is not over yet, or in the future: \
                          another change may get the same label; try again in two seconds, or use a counter",
            },
            "validator-silent" => Self {
                reason: why,
                message: "the validator did not answer in time: the application answers the request, and nothing is \
                    stored",
            },
            "disguised" => Self {
                reason: why,
                message: "it has a field that makes some applications treat it as a different request \
                    (`X-Original-URL` …)",
            },
            "request-no-store" => Self::of_answer(NoStore::RequestNoStore),
            _ => Self::of_answer(NoStore::Method),
        }
    }
}

/// Escapes control characters, for terminals.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}
