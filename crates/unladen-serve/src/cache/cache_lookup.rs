//! The principal type is [`CacheLookup`]: a request that may be answered from memory, and [`CacheLookup::decide`],
//! whether it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use unladen_cache::{Forwarded, Freshness, Mark, RequestControl, Resource, Reuse, Stored, Time, reuse};
use unladen_http1::Request;
use unladen_observability::{CacheResult, Reason};

use super::Cache;
use super::person::uncacheable_key;
use crate::site::prepare::Who;

/// A request that may be answered from memory.
pub(crate) struct CacheLookup<'q> {
    pub(crate) cache: &'q Cache,
    pub(crate) request: &'q Request,
    pub(crate) who: Who,
    pub(crate) control: RequestControl,
    pub(crate) known: ValidatorAnswer,
    /// Whether it has cookies that matter, …
    pub(crate) has_cookies: bool,
    /// … or `Authorization`.
    pub(crate) is_authorized: bool,
    /// Another process serves beside this one, which is about to end, and may have been told what to forget.
    pub(crate) is_leaving: bool,
    /// Other nodes may have been told to forget what only its lifetime vouches for here.
    pub(crate) is_cut_off: bool,
}

/// What a validator says of the page now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValidatorAnswer {
    /// None is for this page, or it knows nothing of it.
    Nothing,
    /// The page's version.
    Version(Box<[u8]>),
    /// The page's version, of a second that may not be over: another change may have the same, so that nothing is kept
    /// under it now.
    Settling(Box<[u8]>),
    /// It did not answer in time; how long a page may be served all the same.
    Silent(Option<Duration>),
}

/// What is stored for a request.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) resource: Option<Arc<Resource>>,
    pub(crate) stored: Option<Arc<Stored>>,
}

/// What becomes of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// What is stored answers it.
    Serve(CacheResult, &'static str),
    /// It does, and is asked for anew meanwhile.
    ServeAndFetch,
    /// The application is asked, for whoever waits for the same.
    Fetch(Forwarded),
    /// The application is asked, for this client alone.
    Pass(Forwarded, &'static str),
    /// An answer of our own.
    Own(Reason),
}

/// Tells requests apart that may not wait together.
static ALONE: AtomicU64 = AtomicU64::new(0);

/// Why a request passes whose answer was not kept a moment ago.
pub(crate) const UNCACHEABLE: &str = "uncacheable";

impl CacheLookup<'_> {
    /// Whether what is stored, or is on its way, may answer this request, by who asks.
    pub(crate) fn may_share(&self, freshness: &Freshness) -> bool {
        (!self.has_cookies || freshness.shared_with_cookies)
            && (!self.is_authorized || freshness.shared_with_authorized)
    }

    /// Under which version an answer is kept, if under one.
    pub(crate) fn version(&self) -> Option<&[u8]> {
        match &self.known {
            ValidatorAnswer::Version(version) => Some(version),
            _ => None,
        }
    }

    /// That an answer was not kept a moment ago.
    pub(crate) fn mark(&self, key: &[u8]) -> Option<Mark> {
        let personal = uncacheable_key(key, self.request, self.has_cookies);
        self.cache.store.uncacheable(&personal, Instant::now())
    }

    /// Looks for what is stored. `variant` is what the request says in the fields by which its variants are told apart.
    pub(crate) fn look(&self, key: &[u8], variant: &mut Vec<u8>) -> Found {
        variant.clear();
        let resource = self.cache.store.find(key);
        let stored = resource.as_ref().and_then(|resource| {
            resource.nominated.write_variant(self.request, &self.cache.policy, variant);
            resource.variant(variant).cloned()
        });
        Found { resource, stored }
    }

    /// Decides.
    pub(crate) fn decide(&self, found: &Found, key: &[u8], now: Time) -> Decision {
        let Some(stored) = &found.stored else { return self.without(found, key) };
        if !self.may_share(&stored.freshness) {
            return Decision::Pass(Forwarded::Bypass, "cookies");
        }
        // What another process was told to forget is in doubt here.
        let is_soft_purged = self.is_leaving || stored.is_soft_purged.load(Ordering::Acquire);
        match &self.known {
            // What is kept under a label was asked for when its second was over: of a time without a zone, by every
            // zone. Later changes have another label.
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
            // Nor does anybody wait for an answer that is on its way: it may be from before that change.
            ValidatorAnswer::Settling(_) if self.control.only_if_cached => return Decision::Own(Reason::OnlyIfCached),
            ValidatorAnswer::Settling(_) => return Decision::Pass(Forwarded::Stale, "label-settling"),
            // It was stored as a page of a validator, which has nothing to say of it now.
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

    /// Whom this request may wait together with: those who ask for the same, with the same version in mind, and are who
    /// they are. While another process serves beside this one, nobody: an answer that is on its way here may be from
    /// before something that was forgotten there. So may it be while this node is cut off from others, but for a page of
    /// a validator, which was asked when this request came.
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

#[cfg(test)]
mod tests;
