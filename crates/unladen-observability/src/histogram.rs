//! The principal type is [`Histogram`]: durations by bucket, counted by one thread and read by any.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper ends of the buckets in ns, inclusive. One more bucket takes the rest.
pub(crate) const BOUNDS: [u64; 15] = [
    100_000,
    250_000,
    500_000,
    1_000_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000,
    5_000_000_000,
    10_000_000_000,
];

pub(super) const BUCKETS: usize = BOUNDS.len() + 1;

/// A number that one thread adds to, and any may read.
///
/// Not `fetch_add`: its lock on the cache line costs some 20 cycles, and a request counts in a dozen places. Two
/// threads that add to one `Counter` lose counts.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

#[derive(Debug, Default)]
pub(super) struct Histogram {
    buckets: [Counter; BUCKETS],
    sum_ns: Counter,
}

/// Content of a [`Histogram`] when read, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistogramTotals {
    pub buckets: [u64; BUCKETS],
    pub sum_ns: u64,
}

impl Counter {
    /// To be called by the counting thread only.
    pub(super) fn add(&self, n: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Histogram {
    /// To be called by the counting thread only.
    pub(super) fn record(&self, duration: Duration) {
        let (bucket, ns) = bucket_of(duration);
        self.buckets[bucket].add(1);
        self.sum_ns.add(ns);
    }

    /// A duration that is being counted may be in the buckets and not yet in the sum.
    pub(super) fn totals(&self) -> HistogramTotals {
        HistogramTotals { buckets: std::array::from_fn(|i| self.buckets[i].get()), sum_ns: self.sum_ns.get() }
    }
}

/// Bucket of a duration, and its nanoseconds. Without a branch, which would be unpredictable.
pub(super) fn bucket_of(duration: Duration) -> (usize, u64) {
    let ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    (BOUNDS.iter().map(|&bound| usize::from(ns > bound)).sum(), ns)
}

impl HistogramTotals {
    /// Counts a duration.
    pub fn record(&mut self, duration: Duration) {
        let (bucket, ns) = bucket_of(duration);
        self.buckets[bucket] += 1;
        self.sum_ns = self.sum_ns.wrapping_add(ns);
    }

    /// Number of durations.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Adds another's counts.
    pub fn add(&mut self, other: &Self) {
        for (own, others) in self.buckets.iter_mut().zip(other.buckets) {
            *own = own.wrapping_add(others);
        }
        self.sum_ns = self.sum_ns.wrapping_add(other.sum_ns);
    }
}

#[cfg(test)]
mod tests;
