//! The principal type is [`Cache`]: a site's store, and the fetches under way into it.

pub(crate) mod cache_fetch;
pub(crate) mod cache_lookup;
pub(crate) mod cached_response;
pub(crate) mod codable;
pub(crate) mod coded;
pub(crate) mod compress;
pub(crate) mod fetch_plan;
pub(crate) mod fleet_link;
pub(crate) mod head_answer;
pub(crate) mod news;
pub(crate) mod person;
pub(crate) mod response_policy;
pub(crate) mod snapshot;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use unladen_cache::{Coding, CookiePattern, InFlightFetches, Policy, Purge, Store, StoreSettings};
use unladen_serve_config::CacheSettings;

use crate::cache::fleet_link::FleetLink;
use crate::cache::news::News;
use crate::cache::snapshot::account::SnapshotAccount;
use crate::cache::snapshot::successor::SuccessorSlot;
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
