//! The principal types are [`Bucket`], a rate limit, and [`KeyedBuckets`], one for each of many keys.
//!
//! Both store one time instead of a level that has to be refilled: the generic cell rate algorithm (ITU-T I.371), which
//! is equivalent to a token bucket.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug)]
struct Rate {
    /// Interval at a steady rate, ns.
    interval: u64,
    /// How early one may come, ns.
    burst: u64,
}

/// A rate limit, shared by all threads; one atomic exchange each time.
#[derive(Debug)]
pub struct Bucket {
    rate: Rate,
    start: Instant,
    /// When the next one would come at a steady rate, in ns since the start.
    next: AtomicU64,
}

/// One bucket for each key, up to a number of keys; further keys share one. Shared by all threads.
///
/// A full bucket equals an unused one, so full ones are dropped when there is no room.
#[derive(Debug)]
pub struct KeyedBuckets {
    rate: Rate,
    start: Instant,
    max_keys: usize,
    /// Keyed, so that nobody can choose colliding keys; 64 bits stand for a key of any length.
    hasher: RandomState,
    shards: [Mutex<HashMap<u64, u64>>; SHARDS],
    keys: AtomicU64,
    /// When the next sweep may be worth it, in ns since the start.
    next_sweep: AtomicU64,
    others: Bucket,
}

const SHARDS: usize = 16;
/// Minimum interval of sweeps, which look at all buckets.
const SWEEP_EVERY: Duration = Duration::from_millis(100);

impl Rate {
    /// A rate that is not above 0 lets the burst pass, and then nothing.
    fn new(per_second: f64, burst: u32) -> Self {
        // A float too large, and infinity, become the largest integer.
        let interval = if per_second > 0.0 { ((1e9 / per_second) as u64).max(1) } else { u64::MAX / 4 };
        let interval = interval.min(u64::MAX / 4);
        Self { interval, burst: interval.saturating_mul(u64::from(burst.max(1))) }
    }

    fn take(self, next: u64, now: u64) -> Result<u64, Duration> {
        let after = next.max(now).saturating_add(self.interval);
        match after.saturating_sub(now).checked_sub(self.burst) {
            None | Some(0) => Ok(after),
            Some(too_early) => Err(Duration::from_nanos(too_early)),
        }
    }
}

impl Bucket {
    /// A limit of `per_second`, and `burst` (at least one) at once.
    pub fn new(per_second: f64, burst: u32) -> Self {
        Self { rate: Rate::new(per_second, burst), start: Instant::now(), next: AtomicU64::new(0) }
    }

    /// Takes one, or returns the wait until one is available.
    pub fn take(&self, now: Instant) -> Result<(), Duration> {
        let now = nanos(self.start, now);
        let mut next = self.next.load(Ordering::Relaxed);
        loop {
            let after = self.rate.take(next, now)?;
            match self.next.compare_exchange_weak(next, after, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Ok(()),
                Err(other) => next = other,
            }
        }
    }
}

impl KeyedBuckets {
    /// Limits of `per_second`, and `burst` (at least one) at once, for each of up to `keys` keys.
    pub fn new(per_second: f64, burst: u32, keys: usize) -> Self {
        Self {
            rate: Rate::new(per_second, burst),
            start: Instant::now(),
            max_keys: keys,
            hasher: RandomState::new(),
            shards: std::array::from_fn(|_| Mutex::default()),
            keys: AtomicU64::new(0),
            next_sweep: AtomicU64::new(0),
            others: Bucket::new(per_second, burst),
        }
    }

    /// Takes one of this key's, or returns the wait until one is available.
    pub fn take(&self, key: &[u8], now: Instant) -> Result<(), Duration> {
        let now_ns = nanos(self.start, now);
        let hash = self.hasher.hash_one(key);
        if let Some(taken) = self.take_known(hash, now_ns) {
            return taken;
        }
        if self.len() >= self.max_keys {
            self.sweep(now_ns);
        }
        if !self.reserve() {
            return self.others.take(now);
        }
        let mut shard = self.shard(hash).lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have added it in between.
        let next = match shard.get(&hash) {
            Some(next) => {
                self.keys.fetch_sub(1, Ordering::Relaxed);
                *next
            }
            None => 0,
        };
        let after = self.rate.take(next, now_ns)?;
        shard.insert(hash, after);
        Ok(())
    }

    /// Number of keys with their own bucket.
    pub fn len(&self) -> usize {
        usize::try_from(self.keys.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
    }

    /// Whether no key has a bucket.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn take_known(&self, hash: u64, now: u64) -> Option<Result<(), Duration>> {
        let mut shard = self.shard(hash).lock().unwrap_or_else(PoisonError::into_inner);
        let next = shard.get_mut(&hash)?;
        Some(self.rate.take(*next, now).map(|after| *next = after))
    }

    fn shard(&self, hash: u64) -> &Mutex<HashMap<u64, u64>> {
        &self.shards[(hash >> 32) as usize % SHARDS]
    }

    fn reserve(&self) -> bool {
        let max = self.max_keys as u64;
        self.keys.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |keys| (keys < max).then_some(keys + 1)).is_ok()
    }

    #[cold]
    fn sweep(&self, now: u64) {
        let due = self.next_sweep.load(Ordering::Relaxed);
        let next = now.saturating_add(SWEEP_EVERY.as_nanos() as u64);
        if now < due || self.next_sweep.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        for shard in &self.shards {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let before = shard.len();
            shard.retain(|_, next| *next > now);
            self.keys.fetch_sub((before - shard.len()) as u64, Ordering::Relaxed);
        }
    }
}

fn nanos(start: Instant, now: Instant) -> u64 {
    u64::try_from(now.saturating_duration_since(start).as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
