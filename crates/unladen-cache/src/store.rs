//! The principal type is [`Store`]: responses in memory, within a bound of bytes, shared by all threads.

mod resource;
mod shard;

use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use quick_cache::DefaultHashBuilder;

use crate::purge::{PurgeLog, Spared};
use crate::{Coding, Nominated, Purge, Sequence, Stored};
use resource::Query;
pub use resource::Resource;
pub use shard::Restored;
use shard::{Gone, Shard};

/// Bounds of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreSettings {
    /// Bytes of all responses and their index.
    pub memory: u64,
    /// Bytes of the longest body.
    pub largest: u64,
    /// Variants of one resource; the oldest goes first.
    pub variants: usize,
}

/// Responses in memory.
///
/// It has up to 64 shards, each with a lock and an equal share of the memory: as many as leave each at least twice the
/// longest body, and at least one. What exceeds nine tenths of a shard is not stored: with 64 MiB, bodies of up to some
/// 50 MiB fit, and with a longest body of 16 MiB or less, every one. `quick_cache` chooses what is evicted.
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

/// Counters of a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreTotals {
    /// Keys stored now.
    pub resources: u64,
    /// Bytes they take now.
    pub bytes: u64,
    /// Responses stored so far, …
    pub stored: u64,
    /// … those of them evicted, …
    pub evicted: u64,
    /// … and those purged, softly or not.
    pub purged: u64,
}

/// Most shards of a store.
const SHARDS: u64 = 64;
/// Fewest bytes of a shard.
const LEAST: u64 = 1 << 20;
/// This fraction of the memory is for tables that keep their size when they get emptier, and for malloc's unused rest.
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

    /// The resource of a key.
    pub fn find(&self, key: &[u8]) -> Option<Arc<Resource>> {
        let query = self.query(key);
        self.shard(query)?.read().unwrap_or_else(PoisonError::into_inner).find(query)
    }

    /// To be taken before the application is asked: its answer is not stored if a purge covered it meanwhile.
    pub fn sequence(&self) -> Sequence {
        self.purges.last()
    }

    /// Stores a variant. `variant` is [`Nominated::write_variant`] of the request, by the fields of `nominated` and
    /// those that earlier responses for this key nominated; it is called with a lock held. False if it was purged
    /// meanwhile, or is too large. If it was purged softly meanwhile, it is stored as one to be validated.
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
            // Under the lock: a purge that is not in the log yet takes the lock after this.
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

    /// Stores another process's response unless it would displace anything: nothing is evicted for it, and what was
    /// fetched meanwhile stays. It is not stored if purged since its sequence; if purged softly, it is to be validated.
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
        // Under the lock, as in `put`.
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

    /// All resources, those most recently known to be current first. References are weak: what leaves the store
    /// meanwhile is gone. Each shard is locked while it is listed.
    pub fn survey(&self) -> Vec<Weak<Resource>> {
        let mut all = Vec::new();
        for shard in &self.shards {
            all.extend(shard.read().unwrap_or_else(PoisonError::into_inner).survey());
        }
        all.sort_by_key(|(vouched, _)| Reverse(*vouched));
        all.into_iter().map(|(_, resource)| resource).collect()
    }

    /// Sets a stored response's body in another coding, and counts it, evicting if needed. `None` if coding is not
    /// worth it; the same is recorded if it does not fit.
    pub fn set_coded(&self, key: &[u8], stored: &Arc<Stored>, coding: Coding, body: Option<Bytes>) {
        let query = self.query(key);
        let Some(shard) = self.shard(query) else { return };
        let mut gone = Gone::default();
        shard.write().unwrap_or_else(PoisonError::into_inner).set_coded(query, stored, coding, body, &mut gone);
        self.evicted.fetch_add(gone.evicted, Ordering::Relaxed);
    }

    /// Carries out a purge before it returns; a soft one marks responses for validation. Returns their number.
    /// Responses asked for after the begin are not covered.
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
                // In batches, so that nobody waits long.
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

    /// Removes this response, if it is still there.
    pub fn remove(&self, key: &[u8], stored: &Arc<Stored>) {
        let query = self.query(key);
        let Some(shard) = self.shard(query) else { return };
        let mut gone = Gone::default();
        shard.write().unwrap_or_else(PoisonError::into_inner).remove(query, stored, &mut gone);
    }

    /// Remembers for a while that a key's responses are not stored, so that nobody waits for another's. `is_seen`:
    /// another response's head shows whether it is stored, and then lifts this ([`Store::lift`]).
    pub fn set_uncacheable(&self, key: &[u8], until: Instant, is_seen: bool) {
        self.uncacheable.set(self.query(key).hash, until, is_seen);
    }

    /// The mark of a key whose responses are known not to be stored.
    pub fn uncacheable(&self, key: &[u8], now: Instant) -> Option<Mark> {
        self.uncacheable.find(self.query(key).hash, now)
    }

    /// Lifts a mark after a storable response: the next one is fetched for all who wait for it.
    pub fn lift(&self, mark: Mark) {
        self.uncacheable.lift(mark);
    }

    /// The counters so far.
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
        // Bits that the tables within do not use.
        self.shards.get((query.hash >> 32) as usize & self.shards.len().wrapping_sub(1))
    }
}

/// Keys whose responses are not stored, remembered for a while. A table without locks: each key has one slot, which a
/// later key may take. Forgetting one only costs that somebody waits for another's answer in vain.
#[derive(Debug)]
struct Uncacheable {
    /// 24 bits of the key's hash, one bit for whether a response's head can lift it, and 39 of the end in milliseconds.
    slots: Box<[AtomicU64]>,
    start: Instant,
}

/// Marks that a key's responses are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u64);

const TIME_BITS: u32 = 39;
const TIME: u64 = (1 << TIME_BITS) - 1;
const SEEN: u64 = 1 << TIME_BITS;
const HASH: u64 = !(TIME | SEEN);

impl Uncacheable {
    pub(super) fn new(slots: usize) -> Self {
        let slots = (0..slots.max(1).next_power_of_two()).map(|_| AtomicU64::new(0)).collect();
        Self { slots, start: Instant::now() }
    }

    pub(super) fn set(&self, hash: u64, until: Instant, is_seen: bool) {
        if let Some(slot) = self.slot(hash) {
            let seen = if is_seen { SEEN } else { 0 };
            slot.store((hash & HASH) | seen | self.time(until), Ordering::Relaxed);
        }
    }

    /// Removes the mark, if a head can lift it.
    pub(super) fn lift(&self, Mark(hash): Mark) {
        if self.slot(hash).is_some_and(|slot| slot.load(Ordering::Relaxed) & SEEN != 0) {
            self.remove(hash);
        }
    }

    pub(super) fn remove(&self, hash: u64) {
        if let Some(slot) = self.slot(hash) {
            let said = slot.load(Ordering::Relaxed);
            if said != 0 && said & HASH == hash & HASH {
                // A concurrent writer knows better.
                let _ = slot.compare_exchange(said, 0, Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }

    pub(super) fn find(&self, hash: u64, now: Instant) -> Option<Mark> {
        let said = self.slot(hash).map_or(0, |slot| slot.load(Ordering::Relaxed));
        let is_set = said != 0 && said & HASH == hash & HASH && self.start + Duration::from_millis(said & TIME) > now;
        is_set.then_some(Mark(hash))
    }

    fn slot(&self, hash: u64) -> Option<&AtomicU64> {
        self.slots.get(hash as usize & (self.slots.len() - 1))
    }

    /// Milliseconds since the start, rounded up; never 0.
    fn time(&self, until: Instant) -> u64 {
        let nanos = until.saturating_duration_since(self.start).as_nanos();
        u64::try_from(nanos.div_ceil(1_000_000)).unwrap_or(TIME).clamp(1, TIME)
    }
}

#[cfg(test)]
mod tests;
