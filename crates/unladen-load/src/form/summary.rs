//! The principal type is [`RecordSummary`]: what requests came to whose records were dropped.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bins::Bins;
use crate::outcome::ErrorKind;
use crate::record::RequestRecord;

/// What requests came to whose records did not fit on the way: all counts are exact, and latencies are so to the bin.
/// When each of them was planned, and which of several requests it was, is lost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordSummary {
    /// Requests.
    pub recorded: u64,
    /// Of these, answered as expected.
    pub answered: u64,
    /// Another answer than the first one.
    pub changed: u64,
    /// Bytes of bodies.
    pub body_bytes: u64,
    /// The same of those that were answered as expected.
    pub answered_bytes: u64,
    /// What went wrong.
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Answers by status, expected or not.
    pub statuses: BTreeMap<u16, u64>,
    /// Latencies of those answered as expected over a new connection.
    pub new: BinnedLatencies,
    /// Over one that was open before.
    pub reused: BinnedLatencies,
    /// Of those that had no answer in time.
    pub cut_short: BinnedLatencies,
    /// The generator's own lag.
    pub lag: BinnedLatencies,
    /// Requests without one: they had to wait for one under way to end.
    pub waited: u64,
    /// When the last one was done, ns since the start.
    pub last_done_ns: u64,
}

/// Latencies by bin, and the longest of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BinnedLatencies {
    /// How many fell into each bin.
    pub bins: Bins,
    /// The longest, ns; exact.
    pub max_ns: u64,
}

impl RecordSummary {
    /// Adds a request.
    pub fn add(&mut self, record: &RequestRecord) {
        self.recorded += 1;
        self.changed += u64::from(record.changed);
        self.body_bytes = self.body_bytes.saturating_add(record.body_bytes);
        if let Some(status) = record.status {
            *self.statuses.entry(status).or_default() += 1;
        }
        match record.error {
            None => {
                self.answered += 1;
                self.answered_bytes = self.answered_bytes.saturating_add(record.body_bytes);
                if record.reused { &mut self.reused } else { &mut self.new }.add(record.latency_ns);
            }
            Some(kind) => *self.errors.entry(kind).or_default() += 1,
        }
        if record.is_cut_short() {
            self.cut_short.add(record.latency_ns);
        }
        match record.lag_ns {
            Some(lag) => self.lag.add(lag),
            None => self.waited += 1,
        }
        self.last_done_ns = self.last_done_ns.max(record.planned_ns.saturating_add(record.latency_ns));
    }

    /// Whether no request is in it.
    pub fn is_empty(&self) -> bool {
        self.recorded == 0
    }

    /// Whether its numbers add up: of one that came from elsewhere.
    pub fn is_consistent(&self) -> bool {
        let sum = |counts: &mut dyn Iterator<Item = u64>| counts.fold(0, u64::saturating_add);
        let in_time = self.new.bins.total().saturating_add(self.reused.bins.total());
        let of_time = self.errors.get(&ErrorKind::Timeout).copied().unwrap_or(0);
        let failed = sum(&mut self.errors.values().copied());
        let lags = self.lag.bins.total().saturating_add(self.waited);
        let with_status = sum(&mut self.statuses.values().copied());
        self.answered.saturating_add(failed) == self.recorded
            && in_time == self.answered
            && self.cut_short.bins.total() == of_time
            && lags == self.recorded
            && with_status <= self.recorded
            && self.changed <= self.recorded
            && self.answered_bytes <= self.body_bytes
    }
}

impl BinnedLatencies {
    fn add(&mut self, ns: u64) {
        self.add_many(ns, 1);
    }

    /// Counts one so many times.
    pub fn add_many(&mut self, ns: u64, count: u32) {
        self.bins.add_many(ns, count);
        self.max_ns = self.max_ns.max(ns);
    }

    /// The quantile: so large a share is at most this, ns; none of nothing.
    pub fn at(&self, q: f64) -> Option<u64> {
        let rank = ((q * self.bins.total() as f64).ceil() as u64).max(1);
        let mut counted = 0;
        self.iter().find_map(|(ns, count)| {
            counted += u64::from(count);
            (counted >= rank).then_some(ns)
        })
    }

    /// Counts what another has counted.
    pub fn absorb(&mut self, other: &Self) {
        self.bins.absorb(&other.bins);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Each bin's latency with its count, the shortest first; none is longer than the longest.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        self.bins.iter().map(|(middle, count)| (middle.min(self.max_ns), count))
    }
}

#[cfg(test)]
mod tests;
