//! The principal type is [`CacheLookup`]: a request that may be answered from memory.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use unladen_cache::{Forwarded, Freshness, Mark, RequestControl, Resource, Reuse, Stored, Time, reuse};
use unladen_http1::{Length, Name, Request, Response};
use unladen_observability::{CacheResult, Reason};

use super::Cache;
use crate::site::prepare::Who;

pub(crate) struct CacheLookup<'q> {
    pub(crate) cache: &'q Cache,
    pub(crate) request: &'q Request,
    pub(crate) control: RequestControl,
    pub(crate) known: ValidatorAnswer,
    /// Whether it has cookies that matter.
    pub(crate) has_cookies: bool,
    pub(crate) is_authorized: bool,
    /// Another process serves beside this one, which is about to end, and may have been told what to forget.
    pub(crate) is_leaving: bool,
    /// Other nodes may have purged what only its lifetime vouches for here.
    pub(crate) is_cut_off: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValidatorAnswer {
    /// No validator covers this page, or it knows nothing of it.
    Nothing,
    Version(Box<[u8]>),
    /// The version is of a second that may not be over: another change may have the same, so nothing is kept under it
    /// now.
    Settling(Box<[u8]>),
    /// It did not answer in time; how long a page may be served all the same.
    Silent(Option<Duration>),
}

/// A site's HEAD about a page, whose answer is taken for the page's version.
#[derive(Debug)]
pub(crate) struct HeadCheck {
    /// Client on whose behalf it is asked.
    pub(crate) address: Option<IpAddr>,
    /// `None` until the application has answered, and if it failed.
    pub(crate) answer: Option<ValidatorAnswer>,
}

/// What is stored under a request's key.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) resource: Option<Arc<Resource>>,
    pub(crate) stored: Option<Arc<Stored>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Serve(CacheResult, &'static str),
    ServeAndFetch,
    /// The application is asked, for all who wait for the same.
    Fetch(Forwarded),
    /// The application is asked, for this client alone.
    Pass(Forwarded, &'static str),
    Own(Reason),
}

impl HeadCheck {
    pub(crate) fn answered(&mut self, response: &Response) {
        let version = response.fields.find(b"etag").or_else(|| response.fields.find(b"last-modified"));
        self.answer = match version {
            _ if response.status >= 500 => None,
            Some(version) if response.status == 200 => Some(ValidatorAnswer::Version(version.into())),
            _ => Some(ValidatorAnswer::Nothing),
        };
    }
}

/// Makes join keys unique for requests that may not wait together.
static ALONE: AtomicU64 = AtomicU64::new(0);

/// Why a request is passed on: its answer was not kept a moment ago.
pub(crate) const UNCACHEABLE: &str = "uncacheable";

impl CacheLookup<'_> {
    /// Whether a stored or fetched answer may be shared with this requester.
    pub(crate) fn may_share(&self, freshness: &Freshness) -> bool {
        (!self.has_cookies || freshness.shared_with_cookies)
            && (!self.is_authorized || freshness.shared_with_authorized)
    }

    pub(crate) fn version(&self) -> Option<&[u8]> {
        match &self.known {
            ValidatorAnswer::Version(version) => Some(version),
            _ => None,
        }
    }

    /// Mark left if an answer was not kept a moment ago.
    pub(crate) fn mark(&self, key: &[u8]) -> Option<Mark> {
        let personal = uncacheable_key(key, self.request, self.has_cookies);
        self.cache.store.uncacheable(&personal, Instant::now())
    }

    /// Finds the stored response; `variant` receives the request's values of the nominated fields.
    pub(crate) fn look(&self, key: &[u8], variant: &mut Vec<u8>) -> Found {
        variant.clear();
        let resource = self.cache.store.find(key);
        let stored = resource.as_ref().and_then(|resource| {
            resource.nominated.write_variant(self.request, &self.cache.policy, variant);
            resource.variant(variant).cloned()
        });
        Found { resource, stored }
    }

    pub(crate) fn decide(&self, found: &Found, key: &[u8], now: Time) -> Decision {
        let Some(stored) = &found.stored else { return self.without(found, key) };
        if !self.may_share(&stored.freshness) {
            return Decision::Pass(Forwarded::Bypass, "cookies");
        }
        // Purges told to another process are unknown here.
        let is_soft_purged = self.is_leaving || stored.is_soft_purged.load(Ordering::Acquire);
        match &self.known {
            // A label's content was fetched after its second was over (for a time without a zone, in every zone), so
            // later changes have another label.
            ValidatorAnswer::Version(version) | ValidatorAnswer::Settling(version)
                if !is_soft_purged && stored.version.as_deref() == Some(&**version) =>
            {
                stored.vouched.store(now.0, Ordering::Relaxed);
                return Decision::Serve(CacheResult::Validated, "");
            }
            ValidatorAnswer::Version(_) => return self.fetch(Forwarded::Stale),
            ValidatorAnswer::Silent(Some(bound))
                if stored.version.is_some()
                    && !is_soft_purged
                    && !self.is_cut_off
                    && now.since(Time(stored.vouched.load(Ordering::Relaxed))) <= *bound =>
            {
                return Decision::Serve(CacheResult::Stale, "validator-silent");
            }
            ValidatorAnswer::Silent(_) => return Decision::Pass(Forwarded::Stale, "validator-silent"),
            // Nor is an answer under way waited for: it may be from before that change.
            ValidatorAnswer::Settling(_) if self.control.only_if_cached => return Decision::Own(Reason::OnlyIfCached),
            ValidatorAnswer::Settling(_) => return Decision::Pass(Forwarded::Stale, "label-settling"),
            // Stored as a validated page, of which the validator knows nothing now.
            ValidatorAnswer::Nothing if stored.version.is_some() => return self.fetch(Forwarded::Stale),
            ValidatorAnswer::Nothing => (),
        }
        if is_soft_purged || self.is_cut_off {
            return self.fetch(Forwarded::Stale);
        }
        match reuse(&self.control, &stored.freshness, now) {
            Reuse::Fresh => Decision::Serve(CacheResult::Hit, ""),
            Reuse::MaxStale => Decision::Serve(CacheResult::Stale, "max-stale"),
            Reuse::WhileRevalidate if self.control.only_if_cached => Decision::Serve(CacheResult::Stale, ""),
            Reuse::WhileRevalidate => Decision::ServeAndFetch,
            Reuse::Validate(unladen_cache::WhyValidate::Request) => self.fetch(Forwarded::Request),
            Reuse::Validate(_) => self.fetch(Forwarded::Stale),
        }
    }

    fn without(&self, found: &Found, key: &[u8]) -> Decision {
        let forwarded = if found.resource.is_some() { Forwarded::VaryMiss } else { Forwarded::UriMiss };
        if matches!(self.known, ValidatorAnswer::Silent(_)) && !self.control.only_if_cached {
            return Decision::Pass(forwarded, "validator-silent");
        }
        if matches!(self.known, ValidatorAnswer::Settling(_)) && !self.control.only_if_cached {
            return Decision::Pass(forwarded, "label-settling");
        }
        if self.mark(key).is_some() && !self.control.only_if_cached {
            return Decision::Pass(forwarded, UNCACHEABLE);
        }
        self.fetch(forwarded)
    }

    fn fetch(&self, forwarded: Forwarded) -> Decision {
        if self.control.only_if_cached {
            return Decision::Own(Reason::OnlyIfCached);
        }
        if self.request.method == b"HEAD" {
            return Decision::Pass(forwarded, "head");
        }
        if self.request.fields.find(b"range").is_some() {
            return Decision::Pass(forwarded, "range");
        }
        Decision::Fetch(forwarded)
    }

    /// Key of the requests this one may wait with: the same page, version and credentials. While another process serves
    /// beside this one, or this node is cut off from others, nobody: an answer under way may be from before a purge
    /// there. In the latter case validated pages are exempt, as the validator was asked when this request came.
    pub(crate) fn join_key(&self, key: &[u8], variant: &[u8]) -> Vec<u8> {
        let mut join = key.to_vec();
        let version = self.version().unwrap_or_default();
        let credentials = self.request.fields.find(b"authorization").unwrap_or_default();
        let cookies = if self.has_cookies { self.request.fields.find(b"cookie").unwrap_or_default() } else { b"" };
        for part in [variant, version, credentials, cookies] {
            join.extend_from_slice(&(part.len() as u64).to_be_bytes());
            join.extend_from_slice(part);
        }
        let is_vouched = matches!(self.known, ValidatorAnswer::Version(_));
        if self.is_leaving || (self.is_cut_off && !is_vouched) {
            join.extend_from_slice(&ALONE.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        }
        join
    }
}

/// A resource's key and who asks: that one user's page is not kept must not keep others' pages from being kept for as
/// long as that is remembered. `has_cookies`: the request has cookies that matter.
pub(crate) fn uncacheable_key<'k>(key: &'k [u8], request: &Request, has_cookies: bool) -> Cow<'k, [u8]> {
    let mut personal = Cow::Borrowed(key);
    for field in request.fields.iter() {
        let is = |name: &[u8]| field.name.eq_ignore_ascii_case(name);
        if is(b"authorization") || (has_cookies && is(b"cookie")) {
            let personal = personal.to_mut();
            // Occurs in no target and no value.
            personal.push(0);
            personal.extend_from_slice(field.value);
        }
    }
    personal
}

/// The request's cache directives, if it may be answered from memory; else why it goes past the cache.
pub(crate) fn eligible(request: &Request, who: Who) -> Result<RequestControl, (Forwarded, &'static str)> {
    let is_plain = matches!(&*request.method, b"GET" | b"HEAD")
        && matches!(request.length, Length::None | Length::Exact(0))
        && request.fields.get(Name::Upgrade).is_none();
    if !is_plain {
        return Err((Forwarded::Method, ""));
    }
    if who.is_disguised {
        return Err((Forwarded::Bypass, "disguised"));
    }
    let control = RequestControl::of(&request.fields);
    if control.no_store {
        return Err((Forwarded::Request, "request-no-store"));
    }
    Ok(control)
}

#[cfg(test)]
mod tests;
