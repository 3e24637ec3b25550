//! The principal type is [`Store`]: responses in memory, within a bound of bytes. Shared by all threads.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::Instant;

use bytes::Bytes;
use quick_cache::DefaultHashBuilder;

use crate::purge::{PurgeLog, Spared};
use crate::{Coding, Nominated, Purge, Sequence, Stored};

mod key;
mod resource;
mod restored;
mod shard;
mod tags;
mod uncacheable;
pub(crate) mod weight;

pub use resource::Resource;
pub use restored::Restored;

use key::Query;
use shard::{Gone, Shard};
pub use uncacheable::Mark;
use uncacheable::Uncacheable;

/// Bounds of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreSettings {
    /// Bytes, all that is stored and what it takes to find it.
    pub memory: u64,
    /// The longest body.
    pub largest: u64,
    /// Variants of one resource; the oldest goes first.
    pub variants: usize,
}

/// Responses in memory.
///
/// It has up to 64 parts, each with a lock and an equal share of the memory: as many as leave each at least twice the
/// longest body, and at least one. What is more than nine tenths of a part is not stored, however long it may be: with
/// 64 MiB, bodies of up to some 50 MiB, and with a longest body of 16 MiB or less, every one. What is evicted is the
/// choice of `quick_cache`.
#[derive(Debug)]
pub struct Store {
    shards: Box<[RwLock<Shard>]>,
    hasher: DefaultHashBuilder,
    largest: u64,
    purges: PurgeLog,
    uncacheable: Uncacheable,
    stored: AtomicU64,
    evicted: AtomicU64,
    purged: AtomicU64,
}

/// What a store has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreTotals {
    /// Keys that are stored now.
    pub resources: u64,
    /// Bytes that they take now.
    pub bytes: u64,
    /// Responses stored so far, …
    pub stored: u64,
    /// … those of them that had to make room, …
    pub evicted: u64,
    /// … and those that were purged, softly ones too.
    pub purged: u64,
}

/// Parts of a store, at most.
const SHARDS: u64 = 64;
/// Bytes of a part, at least.
const LEAST: u64 = 1 << 20;
/// This part of the memory is for tables that keep their size when what is in them gets fewer, and for what malloc
/// leaves unused.
const SPARE: u64 = 8;

impl Store {
    /// An empty store.
    pub fn new(settings: StoreSettings) -> Self {
        let StoreSettings { memory, largest, variants } = settings;
        let slots = usize::try_from(memory / 1024).unwrap_or(usize::MAX).clamp(64, 1 << 16);
        let log = usize::try_from(memory / 128).unwrap_or(usize::MAX).clamp(4096, 1 << 20);
        let fixed = (slots.next_power_of_two() * size_of::<AtomicU64>() + log) as u64;
        let bytes = (memory - memory / SPARE).saturating_sub(fixed);
        let most = (bytes / largest.saturating_mul(2).max(LEAST)).clamp(1, SHARDS);
        // The power of two at or below.
        let count = 1 << most.ilog2();
        let hasher = DefaultHashBuilder::default();
        let shards = (0..count).filter_map(|_| Shard::new(bytes / count, variants, hasher.clone())).map(RwLock::new);
        Self {
            shards: shards.collect(),
            hasher,
            largest,
            purges: PurgeLog::new(log),
            uncacheable: Uncacheable::new(slots),
            stored: AtomicU64::new(0),
            evicted: AtomicU64::new(0),
            purged: AtomicU64::new(0),
        }
    }

    /// What is stored under a key.
    pub fn find(&self, key: &[u8]) -> Option<Arc<Resource>> {
        let query = self.query(key);
        self.shard(query)?.read().unwrap_or_else(PoisonError::into_inner).find(query)
    }

    /// To be taken before the application is asked: what it answers is not kept if a purge meant it meanwhile.
    pub fn sequence(&self) -> Sequence {
        self.purges.last()
    }

    /// Stores a variant. `variant` is [`Nominated::write_variant`]'s of the request, by the fields that `nominated`
    /// has, and those that responses for this key nominated before; it is called with a lock held. False: it was purged
    /// meanwhile, or is too large. If it was purged softly meanwhile, it is stored as one that is to be asked about.
    pub fn put(
        &self,
        key: &[u8],
        nominated: &Nominated,
        variant: impl FnOnce(&Nominated) -> Vec<u8>,
        stored: Arc<Stored>,
    ) -> bool {
        if stored.body.len() as u64 > self.largest {
            return false;
        }
        let query = self.query(key);
        let Some(shard) = self.shard(query) else { return false };
        let mut gone = Gone::default();
        let is_stored = {
            let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
            // With the lock: a purge that is not in the log yet comes for the lock after this.
            match self.purges.spares(key, &stored) {
                Spared::Whole => {}
                Spared::Soft => stored.purge_softly(),
                Spared::Nothing => return false,
            }
            shard.put(query, nominated, variant, stored, &mut gone)
        };
        self.evicted.fetch_add(gone.evicted, Ordering::Relaxed);
        if is_stored {
            self.stored.fetch_add(1, Ordering::Relaxed);
            self.uncacheable.remove(query.hash);
        }
        is_stored
    }

    /// Stores a response that another process had, if it is not in anything's way: nothing is evicted for it, and what
    /// was fetched meanwhile stays. What was purged since the response's sequence is not stored; what was purged softly is
    /// to be asked about.
    pub fn restore(&self, key: &[u8], nominated: &Nominated, said: &[u8], stored: Arc<Stored>) -> Restored {
        if stored.body.len() as u64 > self.largest {
            return Restored::Full;
        }
        let query = self.query(key);
        let Some(shard) = self.shard(query) else { return Restored::Full };
        if self.uncacheable.find(query.hash, Instant::now()).is_some() {
            return Restored::Purged;
        }
        let mut gone = Gone::default();
        let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
        // With the lock, as in `put`.
        match self.purges.spares(key, &stored) {
            Spared::Whole => {}
            Spared::Soft => stored.purge_softly(),
            Spared::Nothing => return Restored::Purged,
        }
        let restored = shard.restore(query, nominated, said, stored, &mut gone);
        drop(shard);
        self.evicted.fetch_add(gone.evicted, Ordering::Relaxed);
        restored
    }

    /// All that is stored, what was known to be current most lately first. Nothing is kept by this: what leaves the
    /// store meanwhile is gone. Each part of the store is locked for as long as it takes to list it.
    pub fn survey(&self) -> Vec<Weak<Resource>> {
        let mut all = Vec::new();
        for shard in &self.shards {
            all.extend(shard.read().unwrap_or_else(PoisonError::into_inner).survey());
        }
        all.sort_by_key(|(vouched, _)| Reverse(*vouched));
        all.into_iter().map(|(_, resource)| resource).collect()
    }

    /// Sets the body of a stored response in another coding, and counts it: memory for it is made by evicting. None: it
    /// is not worth it; so it is too if it does not fit.
    pub fn set_coded(&self, key: &[u8], stored: &Arc<Stored>, coding: Coding, body: Option<Bytes>) {
        let query = self.query(key);
        let Some(shard) = self.shard(query) else { return };
        let mut gone = Gone::default();
        shard.write().unwrap_or_else(PoisonError::into_inner).set_coded(query, stored, coding, body, &mut gone);
        self.evicted.fetch_add(gone.evicted, Ordering::Relaxed);
    }

    /// Forgets, before it returns; softly: is to ask about. How many responses. What is asked for after this began is
    /// not meant.
    pub fn purge(&self, purge: &Purge, is_soft: bool) -> u64 {
        let sequence = self.purges.push(purge, is_soft);
        let mut count = 0;
        if let Purge::Key(key) = purge {
            let query = self.query(key);
            count += self.shard(query).map_or(0, |shard| self.forget(shard, &[query], purge, sequence, is_soft));
        } else {
            for shard in &self.shards {
                let keys = shard.read().unwrap_or_else(PoisonError::into_inner).candidates(purge);
                let queries: Vec<_> = keys.iter().map(|key| self.query(key)).collect();
                // In batches, so that nobody waits for long.
                let batches = queries.chunks(256);
                count += batches.map(|keys| self.forget(shard, keys, purge, sequence, is_soft)).sum::<u64>();
            }
        }
        self.purged.fetch_add(count, Ordering::Relaxed);
        count
    }

    fn forget(
        &self,
        shard: &RwLock<Shard>,
        queries: &[Query<'_>],
        purge: &Purge,
        sequence: Sequence,
        is_soft: bool,
    ) -> u64 {
        let mut gone = Gone::default();
        let mut shard = shard.write().unwrap_or_else(PoisonError::into_inner);
        let count = queries.iter().map(|query| shard.forget(*query, purge, sequence, is_soft, &mut gone)).sum();
        drop(shard);
        count
    }

    /// Forgets this response alone, if it is still there.
    pub fn remove(&self, key: &[u8], stored: &Arc<Stored>) {
        let query = self.query(key);
        let Some(shard) = self.shard(query) else { return };
        let mut gone = Gone::default();
        shard.write().unwrap_or_else(PoisonError::into_inner).remove(query, stored, &mut gone);
    }

    /// Remembers for a while that responses for a key are not stored, so that nobody waits for another's. `is_seen`: of
    /// another one it is seen by its head whether it is stored, so that this one can be forgotten then
    /// ([`Store::lift`]).
    pub fn set_uncacheable(&self, key: &[u8], until: Instant, is_seen: bool) {
        self.uncacheable.set(self.query(key).hash, until, is_seen);
    }

    /// Whether responses for a key are known not to be stored, and what this is remembered by.
    pub fn uncacheable(&self, key: &[u8], now: Instant) -> Option<Mark> {
        self.uncacheable.find(self.query(key).hash, now)
    }

    /// A response would have been stored: the next one is asked for, for all who wait for it.
    pub fn lift(&self, mark: Mark) {
        self.uncacheable.lift(mark);
    }

    /// What it has done so far.
    pub fn totals(&self) -> StoreTotals {
        let mut totals = StoreTotals {
            stored: self.stored.load(Ordering::Relaxed),
            evicted: self.evicted.load(Ordering::Relaxed),
            purged: self.purged.load(Ordering::Relaxed),
            ..StoreTotals::default()
        };
        for shard in &self.shards {
            let shard = shard.read().unwrap_or_else(PoisonError::into_inner);
            totals.resources += shard.resources();
            totals.bytes += shard.weight();
        }
        totals
    }

    fn query<'a>(&self, key: &'a [u8]) -> Query<'a> {
        Query { hash: self.hasher.hash_one(key), bytes: key }
    }

    fn shard(&self, query: Query<'_>) -> Option<&RwLock<Shard>> {
        // Bits that the tables within do not look at.
        self.shards.get((query.hash >> 32) as usize & self.shards.len().wrapping_sub(1))
    }
}

#[cfg(test)]
mod tests;
