//! The principal type is [`Histogram`]: how many durations fell into each bucket, counted by one thread and read by
//! any.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper ends of the buckets, in nanoseconds; a duration that is equal belongs below. One more bucket takes the rest.
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

/// Buckets of a histogram.
pub(super) const BUCKETS: usize = BOUNDS.len() + 1;

/// A number that one thread adds to, and any may read.
///
/// Not `fetch_add`: its lock on the cache line costs some 20 cycles, and a request counts in a dozen places. So two
/// threads that add to one `Counter` lose counts.
#[derive(Debug, Default)]
pub(super) struct Counter(AtomicU64);

/// Durations by bucket; one thread adds to it.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    buckets: [Counter; BUCKETS],
    sum_ns: Counter,
}

/// What a [`Histogram`] held when it was read, or several together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistogramTotals {
    /// By bucket, not cumulative.
    pub buckets: [u64; BUCKETS],
    /// Of the durations.
    pub sum_ns: u64,
}

impl Counter {
    /// Adds; on the one thread that does.
    pub(super) fn add(&self, n: u64) {
        self.0.store(self.0.load(Ordering::Relaxed).wrapping_add(n), Ordering::Relaxed);
    }

    /// Reads.
    pub(super) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Histogram {
    /// Counts a duration; on the one thread that does.
    pub(super) fn record(&self, duration: Duration) {
        let (bucket, ns) = bucket_of(duration);
        self.buckets[bucket].add(1);
        self.sum_ns.add(ns);
    }

    /// Reads. A duration that is being counted meanwhile may be in the buckets and not yet in the sum.
    pub(super) fn totals(&self) -> HistogramTotals {
        HistogramTotals { buckets: std::array::from_fn(|i| self.buckets[i].get()), sum_ns: self.sum_ns.get() }
    }
}

/// The bucket of a duration, and its nanoseconds. Without a branch, which would be taken at random.
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

    /// Durations counted.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Adds another's.
    pub fn add(&mut self, other: &Self) {
        for (own, others) in self.buckets.iter_mut().zip(other.buckets) {
            *own = own.wrapping_add(others);
        }
        self.sum_ns = self.sum_ns.wrapping_add(other.sum_ns);
    }
}

#[cfg(test)]
mod tests;
