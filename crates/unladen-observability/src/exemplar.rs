//! The principal type is [`Exemplars`]: the last sampled request of each bucket of a histogram, so that a slow bucket
//! leads to a trace.
//!
//! The counting thread never waits for a reader: during a read, an exemplar is left out.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::histogram::{BUCKETS, bucket_of};
use crate::{RequestAccount, Trace};

#[derive(Debug, Default)]
pub(super) struct Exemplars(Mutex<BucketExemplars>);

/// Content of [`Exemplars`]; boxed, since most kinds of requests have none.
pub(super) type BucketExemplars = Option<Box<[Option<Exemplar>; BUCKETS]>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exemplar {
    pub(crate) trace_id: [u8; 16],
    pub(crate) span_id: [u8; 8],
    pub(crate) ns: u64,
    pub(crate) at: Instant,
}

impl Exemplar {
    fn of(record: &RequestAccount<'_>, trace: Trace, duration: Duration) -> Self {
        let ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        // No look at the clock: its last byte was counted then.
        Self { trace_id: trace.trace_id, span_id: trace.span_id, ns, at: record.began + record.total }
    }

    pub(crate) fn later(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) => Some(if other.at > one.at { other } else { one }),
            (one, other) => one.or(other),
        }
    }
}

impl Exemplars {
    /// Stores the request as its bucket's exemplar, unless a reader holds the lock.
    pub(super) fn put(&self, record: &RequestAccount<'_>, trace: Trace, duration: Duration) {
        let Ok(mut buckets) = self.0.try_lock() else { return };
        let (bucket, _) = bucket_of(duration);
        buckets.get_or_insert_with(|| Box::new([None; BUCKETS]))[bucket] = Some(Exemplar::of(record, trace, duration));
    }

    pub(super) fn add_to(&self, sums: &mut BucketExemplars) {
        let buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match (&mut *sums, buckets) {
            (Some(sums), Some(buckets)) => {
                for (sum, other) in sums.iter_mut().zip(*buckets) {
                    *sum = Exemplar::later(*sum, other);
                }
            }
            (None, buckets) => *sums = buckets,
            (Some(_), None) => {}
        }
    }
}

pub(super) fn latest(buckets: &BucketExemplars) -> Option<Exemplar> {
    buckets.iter().flat_map(|buckets| buckets.iter()).fold(None, |last, one| Exemplar::later(last, *one))
}

#[cfg(test)]
mod tests;
