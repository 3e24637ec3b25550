//! The principal type is [`RecordBatch`]: records on their way from the sending host.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bins::Bins;
use crate::outcome::ErrorKind;
use crate::record::RequestRecord;

const MOST: u32 = 65_536;

/// Records in some twenty bytes each, as in a record file: every number is exact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordBatch {
    count: u32,
    before: u64,
    bytes: Vec<u8>,
}

/// Error for a batch whose content does not match its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a batch of {count} records of requests is damaged")]
pub struct DamagedBatch {
    count: u32,
}

impl RecordBatch {
    /// Appends a record.
    pub fn push(&mut self, record: &RequestRecord) {
        record.write(self.before, &mut self.bytes);
        self.before = record.planned_ns;
        self.count += 1;
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Its records. Fails when the bytes are not exactly that number of records.
    pub fn records(&self) -> Result<Vec<RequestRecord>, DamagedBatch> {
        let damaged = DamagedBatch { count: self.count };
        if self.count > MOST {
            return Err(damaged);
        }
        let (mut bytes, mut before) = (self.bytes.as_slice(), 0);
        // A record takes at least five bytes: a false count must not allocate memory.
        let mut records = Vec::with_capacity(self.len().min(bytes.len() / 5 + 1));
        for _ in 0..self.count {
            let record = RequestRecord::read(before, &mut bytes).ok_or(damaged)?;
            before = record.planned_ns;
            records.push(record);
        }
        if bytes.is_empty() { Ok(records) } else { Err(damaged) }
    }
}

/// Results of requests whose records did not fit on the way: counts are exact, latencies exact to the bin. Planned
/// times and the assignment to requests are lost.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordSummary {
    pub recorded: u64,
    pub answered: u64,
    pub changed: u64,
    pub body_bytes: u64,
    /// Body bytes of answers that were as expected.
    pub answered_bytes: u64,
    pub errors: BTreeMap<ErrorKind, u64>,
    /// Answers by status, expected or not.
    pub statuses: BTreeMap<u16, u64>,
    /// Latencies of requests answered as expected over a new connection.
    pub new: BinnedLatencies,
    /// Likewise over a kept connection.
    pub reused: BinnedLatencies,
    /// Latencies of requests without an answer in time.
    pub cut_short: BinnedLatencies,
    pub lag: BinnedLatencies,
    /// Requests without a lag: they had to wait for one under way to end.
    pub waited: u64,
    /// When the last one was done, ns since the start.
    pub last_done_ns: u64,
}

/// Latencies by bin, and the longest of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BinnedLatencies {
    pub bins: Bins,
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

    /// Whether its numbers add up: checks one that came from elsewhere.
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

    /// Counts a latency `count` times.
    pub fn add_many(&mut self, ns: u64, count: u32) {
        self.bins.add_many(ns, count);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Latency in ns that a share `q` does not exceed; `None` if empty.
    pub fn at(&self, q: f64) -> Option<u64> {
        let rank = ((q * self.bins.total() as f64).ceil() as u64).max(1);
        let mut counted = 0;
        self.iter().find_map(|(ns, count)| {
            counted += u64::from(count);
            (counted >= rank).then_some(ns)
        })
    }

    /// Adds the counts of `other`.
    pub fn absorb(&mut self, other: &Self) {
        self.bins.absorb(&other.bins);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Each bin's latency with its count, the shortest first; capped at the longest latency.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        self.bins.iter().map(|(middle, count)| (middle.min(self.max_ns), count))
    }
}

#[cfg(test)]
mod tests;
