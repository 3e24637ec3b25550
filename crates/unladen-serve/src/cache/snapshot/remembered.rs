//! The principal type is [`Remembered`]: a site whose cache survives the process.

use std::sync::Arc;

use unladen_cache::{Sequence, SnapshotEntry};
use unladen_serve_config::SnapshotSettings;

use super::account::Counts;
use super::fingerprint::fingerprint;
use crate::cache::Cache;
use crate::site::Site;

#[derive(Debug)]
pub(crate) struct Remembered {
    pub(crate) name: String,
    pub(crate) cache: Cache,
    /// `None` if it survives only a handover.
    pub(crate) settings: Option<SnapshotSettings>,
    pub(crate) fingerprint: u128,
}

impl Remembered {
    /// `None` if nothing of it is kept.
    pub(crate) fn of(site: &Site) -> Option<Self> {
        let cache = site.cache.clone()?;
        let name = site.proxy.upstream.settings().name.clone();
        let settings = site.settings.snapshot.clone();
        Some(Self { name, cache, settings, fingerprint: fingerprint(&site.settings)? })
    }

    /// Stores a response of another process, unless it was purged since `sequence`, which must have been taken before
    /// the first of that process's bytes was read.
    pub(crate) fn restore(&self, entry: SnapshotEntry, sequence: Sequence, counts: &mut Counts) {
        let SnapshotEntry { key, nominated, variant, mut stored } = entry;
        stored.sequence = sequence;
        stored.body = self.cache.bodies.count(stored.body);
        counts.add(self.cache.store.restore(&key, &nominated, &variant, Arc::new(stored)));
    }

    pub(crate) fn restored(&self, counts: &Counts) {
        self.cache.account.restored(counts);
    }
}
