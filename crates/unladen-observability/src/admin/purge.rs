//! Purges sites before it answers: [`purge`].
//!
//! A web page could make a browser on this machine send a request here. Requests that need no CORS preflight (forms,
//! simple `fetch`) cannot have the type `application/json`; preflights are refused; and `Origin` reveals the page.

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Limited};
use hyper::body::Body;
use hyper::header::{CONTENT_TYPE, HOST, ORIGIN};
use hyper::{HeaderMap, Request, StatusCode};
use serde::Deserialize;
use unladen_fleet::{Outcome, Wait};

use crate::Observability;
use crate::sites::{Forget, PageAddress, What};

/// Maximum bytes of a request body: a URL's 16 KiB, however it is escaped.
const LARGEST: usize = 128 * 1024;

const PATIENCE: Duration = Duration::from_secs(10);

/// Request body; exactly one of `url`, `prefix`, `tag` and `all`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wish {
    site: Option<String>,
    url: Option<String>,
    prefix: Option<String>,
    tag: Option<String>,
    #[serde(default)]
    all: bool,
    #[serde(default)]
    soft: bool,
    wait: Option<String>,
    wait_for: Option<f64>,
}

#[derive(Debug)]
pub(super) struct Purged {
    pub(super) purged: u64,
    pub(super) fleet: Option<Outcome>,
}

#[derive(Debug, thiserror::Error)]
#[error("{words}")]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    words: String,
}

pub(super) async fn purge<B>(request: Request<B>, observability: &Observability) -> Result<Purged, Refusal>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    guard(request.headers())?;
    let body = Limited::new(request.into_body(), LARGEST);
    let Ok(body) = tokio::time::timeout(PATIENCE, std::pin::pin!(body).collect()).await else {
        return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body did not arrive"));
    };
    let body = body.map_err(|error| match error.is::<http_body_util::LengthLimitError>() {
        true => Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the body is longer than {LARGEST} bytes")),
        false => Refusal::new(StatusCode::BAD_REQUEST, "the body is incomplete"),
    })?;
    let wish: Wish = serde_json::from_slice(&body.to_bytes())
        .map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, format!("the body is invalid: {error}")))?;
    let site = wish.site.clone();
    let fleet = observability.fleet();
    let wait_for = match (wish.wait_for, &fleet) {
        (None, _) => None,
        (Some(_), None) => {
            let words = "there is no fleet to wait for: the configuration has no [fleet]";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, words));
        }
        (Some(seconds), Some(_)) => {
            let words = || Refusal::new(StatusCode::BAD_REQUEST, "wait_for must be a number of seconds, such as 0.25");
            Some(Duration::try_from_secs_f64(seconds).map_err(|_| words())?)
        }
    };
    let wait = match (&wish.wait, &fleet) {
        (None, _) => None,
        (Some(_), None) => {
            let words = "there is no fleet to wait for: the configuration has no [fleet]";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, words));
        }
        (Some(word), Some(_)) => {
            let words = || {
                Refusal::new(
                    StatusCode::BAD_REQUEST,
                    format!(
                        "wait is {word:?}: expected all, quorum or \
                none"
                    ),
                )
            };
            Some(Wait::of(word).ok_or_else(words)?)
        }
    };
    let forget = wish.read().map_err(|words| Refusal::new(StatusCode::BAD_REQUEST, words))?;
    let sites = observability.sites(site.as_deref());
    if let (Some(name), true) = (&site, sites.is_empty()) {
        return Err(Refusal::new(StatusCode::NOT_FOUND, format!("no site has the name {name:?}")));
    }
    // With much stored, it may take a while.
    let own = forget.clone();
    let forgetting = tokio::task::spawn_blocking(move || {
        sites.iter().filter_map(|site| site.forget(&own)).reduce(|sum, purged| sum + purged)
    });
    let purged = match forgetting.await {
        Ok(Some(purged)) => purged,
        Ok(None) => return Err(Refusal::new(StatusCode::NOT_FOUND, "no site stores anything")),
        Err(_) => return Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "it was cancelled")),
    };
    let fleet = match fleet {
        Some(fleet) => {
            let what = forget.what.clone();
            Some(fleet.purge_within(site.as_deref(), what, forget.is_soft, wait, wait_for).await)
        }
        None => None,
    };
    Ok(Purged { purged, fleet })
}

/// Refuses requests that foreign web pages can make a browser send.
fn guard(headers: &HeaderMap) -> Result<(), Refusal> {
    let only = |name| {
        let mut values = headers.get_all(name).iter();
        let first = values.next();
        (first.and_then(|value| value.to_str().ok()), first.is_some(), values.next().is_none())
    };
    let (host, ..) = only(HOST);
    let (origin, has_origin, is_one) = only(ORIGIN);
    let is_own = origin.zip(host).is_some_and(|(origin, host)| origin.strip_prefix("http://") == Some(host));
    if has_origin && !(is_one && is_own) {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "pages of other origins cannot purge"));
    }
    let (site, has_site, is_one) = only(hyper::header::HeaderName::from_static("sec-fetch-site"));
    if has_site && !(is_one && matches!(site, Some("same-origin" | "none"))) {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "pages of other origins cannot purge"));
    }
    let (kind, _, is_one) = only(CONTENT_TYPE);
    let essence = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
    if !is_one || !essence.eq_ignore_ascii_case("application/json") {
        let words = "send the purge as JSON, with Content-Type: application/json";
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, words));
    }
    Ok(())
}

impl Wish {
    fn read(self) -> Result<Forget, String> {
        let given = [self.url.is_some(), self.prefix.is_some(), self.tag.is_some(), self.all];
        if given.into_iter().filter(|is| *is).count() != 1 {
            return Err("give one of url, prefix, tag and all".to_owned());
        }
        let what = if let Some(url) = self.url {
            What::Url(PageAddress::read(&url)?)
        } else if let Some(prefix) = self.prefix {
            What::Prefix(PageAddress::read(&prefix)?)
        } else if let Some(tag) = self.tag {
            if tag.is_empty() {
                return Err("the tag is empty".to_owned());
            }
            What::Tag(tag)
        } else {
            What::All
        };
        Ok(Forget { what, is_soft: self.soft })
    }
}

impl Refusal {
    fn new(status: StatusCode, words: impl Into<String>) -> Self {
        Self { status, words: words.into() }
    }
}

#[cfg(test)]
mod tests;
