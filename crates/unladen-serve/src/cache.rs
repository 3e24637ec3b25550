//! The principal type is [`Cache`]: a site's store, and the fetches under way into it. [`News`] is what those who wait
//! for a fetch are told, [`FleetLink`] the other nodes, who are told of purges.

pub(crate) mod cache_fetch;
pub(crate) mod cache_lookup;
pub(crate) mod cached_response;
pub(crate) mod coded;
pub(crate) mod fetch_plan;
pub(crate) mod response_policy;
pub(crate) mod snapshot;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use unladen_cache::{
    Coding, CookiePattern, Freshness, InFlightFetches, NoStore, Nominated, Policy, Purge, Sequence, Store,
    StoreSettings, Stored, Validators,
};
use unladen_fleet::{Fleet, Lease, Outcome, Page, Wait, What};
use unladen_http1::{Fields, Request, Response};
use unladen_observability::Reason;
use unladen_serve_config::CacheSettings;

use self::coded::may_be_coded;
use self::snapshot::SnapshotAccount;
use self::snapshot::successor::SuccessorSlot;
use crate::limits::budget::Bodies;

/// Bodies being compressed, by address and coding.
pub(crate) type UnderWork = Mutex<BTreeSet<(usize, Coding)>>;

#[derive(Clone, Debug)]
pub(crate) struct Cache {
    pub(crate) settings: CacheSettings,
    pub(crate) policy: Arc<Policy>,
    pub(crate) store: Arc<Store>,
    pub(crate) fetches: Arc<InFlightFetches<News>>,
    pub(crate) under_work: Arc<UnderWork>,
    /// Counts the bodies it made, stored or not.
    pub(crate) bodies: Arc<Bodies>,
    pub(crate) account: Arc<SnapshotAccount>,
    /// Process that must forget what this one forgets.
    pub(crate) successor: Arc<SuccessorSlot>,
    /// Other nodes that are told of purges; `None` if there are none.
    pub(crate) fleet: Option<FleetLink>,
}

impl Cache {
    /// Purges before it returns; a soft purge has stored responses revalidated. No later request waits for an answer
    /// asked for before. Returns how many responses were purged.
    pub(crate) fn forget(&self, purge: &Purge, is_soft: bool) -> u64 {
        let purged = self.store.purge(purge, is_soft);
        self.fetches.part(|join| match purge {
            Purge::Key(key) | Purge::Prefix(key) => join.starts_with(key),
            // The tags of answers under way are not known yet.
            Purge::Tag(_) | Purge::All => true,
        });
        self.successor.forget(purge, is_soft);
        purged
    }

    /// Keeps what `before` had stored if the bounds are the same.
    pub(crate) fn new(settings: &CacheSettings, before: Option<&Self>) -> Self {
        let same = before.filter(|before| bounds(&before.settings) == bounds(settings));
        // Fetches under way were started, and stored responses admitted, by the rules of before.
        let is_same = before.is_some_and(|before| before.settings == *settings);
        Self {
            settings: settings.clone(),
            policy: Arc::new(policy(settings)),
            store: same.map_or_else(|| Arc::new(Store::new(bounds(settings))), |before| before.store.clone()),
            fetches: before.filter(|_| is_same).map_or_else(Arc::default, |before| before.fetches.clone()),
            under_work: Arc::default(),
            bodies: same.map_or_else(|| Bodies::new(settings.memory), |before| before.bodies.clone()),
            account: before.map_or_else(Arc::default, |before| before.account.clone()),
            successor: before.map_or_else(Arc::default, |before| before.successor.clone()),
            fleet: None,
        }
    }

    pub(crate) fn is_cut_off(&self, at: Instant) -> bool {
        self.fleet.as_ref().is_some_and(|fleet| fleet.is_cut_off(at))
    }
}

fn bounds(settings: &CacheSettings) -> StoreSettings {
    StoreSettings { memory: settings.memory, largest: settings.largest, variants: settings.variants }
}

fn policy(settings: &CacheSettings) -> Policy {
    let patterns = |names: &[String]| names.iter().map(|name| CookiePattern(name.clone())).collect();
    Policy {
        heuristic_share: settings.heuristic,
        heuristic_max: settings.heuristic_max,
        ignore_cookies: patterns(&settings.ignore_cookies),
        vary_cookies: patterns(&settings.vary_cookies),
        languages: settings.languages.clone(),
        ignore_query: patterns(&settings.ignore_query),
        share_with_cookies: settings.share_with_cookies,
        statuses: settings.statuses.clone(),
        error_max: settings.error_max,
        set_cookie: settings.store_set_cookie,
        stale_if_error: settings.stale_if_error,
        stale_while_revalidate: settings.stale_while_revalidate,
        largest: settings.largest,
    }
}

/// Bodies compressed at a time; others stay uncompressed until they are asked for again.
const AT_A_TIME: usize = 4;

impl Cache {
    pub(crate) fn compress(&self, key: &[u8], stored: &Arc<Stored>, coding: Coding) {
        if !may_be_coded(&stored.fields) {
            stored.set_coded(coding, None);
            return;
        }
        let work = (stored.body.as_ptr().addr(), coding);
        let mut under_work = self.under_work.lock().unwrap_or_else(PoisonError::into_inner);
        if under_work.len() >= AT_A_TIME || !under_work.insert(work) {
            return;
        }
        drop(under_work);
        let (store, key) = (self.store.clone(), key.to_vec());
        let (stored, under_work) = (stored.clone(), self.under_work.clone());
        let bodies = self.bodies.clone();
        // It takes milliseconds a page, which would hold up other requests.
        tokio::task::spawn_blocking(move || {
            let coded = coding.encode(&stored.body).map(|coded| bodies.count(coded.into()));
            store.set_coded(&key, &stored, coding, coded);
            under_work.lock().unwrap_or_else(PoisonError::into_inner).remove(&work);
        });
    }
}

#[derive(Clone, Debug)]
pub(crate) enum News {
    /// The stored response is still good, and is now this; with the hops if a peer said so.
    Stored(Arc<Stored>, Option<Hops>),
    Began(Arc<Began>),
    NotForAll,
    Failed(Reason, Option<Duration>),
}

/// `Cache-Status` of a peer's answer, and of the caches before it.
pub(crate) type Hops = Arc<[u8]>;

#[derive(Debug)]
pub(crate) struct Began {
    pub(crate) response: Response,
    pub(crate) kept: Result<Storable, NoStore>,
    pub(crate) is_of_peer: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Storable {
    pub(crate) nominated: Nominated,
    /// The request's values of the nominated fields.
    pub(crate) variant: Vec<u8>,
    pub(crate) freshness: Freshness,
    /// Head fields for all but the first asker.
    pub(crate) fields: Fields,
    pub(crate) sequence: Sequence,
    /// Whether it stays here after those who wait have it; a peer's answer does only if the page is hot.
    pub(crate) stays: bool,
}

pub(crate) fn hops(fields: &Fields) -> Hops {
    let lines = fields.iter().filter(|field| field.name.eq_ignore_ascii_case(b"cache-status"));
    lines.map(|line| line.value).collect::<Vec<_>>().join(&b", "[..]).into()
}

impl Storable {
    pub(crate) fn validators(&self) -> Validators {
        Validators::of(&self.fields)
    }

    /// As a peer's answer: the peer's `Cache-Status` is not stored, as it concerns the first asker alone.
    pub(crate) fn of_peer(self, stays: bool) -> Self {
        let mut fields = self.fields;
        fields.retain(|field| !field.name.eq_ignore_ascii_case(b"cache-status"));
        Self { fields, stays, ..self }
    }

    pub(crate) fn without_body(&self, status: u16) -> Stored {
        Stored::new(status, self.fields.clone(), bytes::Bytes::new(), self.freshness, None, self.sequence)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct FleetLink {
    pub(crate) fleet: Arc<Fleet>,
    /// `None` if stored responses are served whether or not the others are reached.
    lease: Option<Arc<Lease>>,
    site: Arc<str>,
}

impl FleetLink {
    pub(crate) fn new(fleet: Arc<Fleet>, site: &str) -> Self {
        Self { lease: fleet.lease(), fleet, site: site.into() }
    }

    /// Whether purges of other nodes before `at` may be missing here.
    pub(crate) fn is_cut_off(&self, at: Instant) -> bool {
        self.lease.as_ref().is_some_and(|lease| !lease.holds(at))
    }

    /// A soft-purged response may stand for an unknown purge: it is not served, not even while the application fails.
    pub(crate) fn doubts(&self, stored: &Stored) -> bool {
        stored.is_soft_purged()
    }

    pub(crate) fn announce(&self, what: What, is_soft: bool) {
        self.fleet.tell(Some(&self.site), what, is_soft);
    }

    pub(crate) async fn purge(&self, what: What, is_soft: bool, wait: Option<Wait>) -> Outcome {
        self.fleet.purge(Some(&self.site), what, is_soft, wait).await
    }
}

/// What the others forget for a request: its page, or with `is_prefix` all pages beginning so. If the target is not
/// UTF-8 (only an application can bring that about), all that begins with its valid part.
pub(crate) fn what(request: &Request, is_https: Option<bool>, is_prefix: bool) -> What {
    let authority = String::from_utf8_lossy(&request.authority).into_owned();
    let page = |target: &str| Page { is_https, authority, target: target.to_owned() };
    match std::str::from_utf8(&request.target) {
        Ok(target) if is_prefix => What::Prefix(page(target)),
        Ok(target) => What::Url(page(target)),
        Err(_) => What::Prefix(page(request.target.utf8_chunks().next().map_or("", |chunk| chunk.valid()))),
    }
}

#[cfg(test)]
mod tests;
