//! What all parts of the assembly share: [`Table`], counts by key; [`Moment`], where in a counting something happened;
//! and [`Transfer`], bytes over a socket.

use std::collections::HashMap;
use std::hash::Hash;

use crate::event::{Socket, Way};
use crate::evidence::Counted;

/// Most keys of one table, of some 0.7 kB each. Twelve first requests of Sympa with 300 lists have 120,000: each lock
/// is made by a file with a name of its own. Further keys are counted as dropped, and reported.
pub(super) const MAX_KEYS: usize = 250_000;

#[derive(Debug)]
pub(super) struct Table<K> {
    entries: HashMap<K, Entry>,
    dropped: u64,
}

#[derive(Debug, Default)]
struct Entry {
    counted: Counted,
    last_request: Option<u64>,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        Self { entries: HashMap::new(), dropped: 0 }
    }
}

impl<K: Eq + Hash> Table<K> {
    /// Adds one event; `false` if there was no room.
    pub(super) fn add(&mut self, key: K, moment: Moment, took_ns: u64) -> bool {
        self.add_many(key, moment, 1, took_ns)
    }

    /// Adds several events with their total time; `false` if there was no room.
    pub(super) fn add_many(&mut self, key: K, moment: Moment, times: u64, took_ns: u64) -> bool {
        if self.entries.len() >= MAX_KEYS && !self.entries.contains_key(&key) {
            self.dropped += times;
            return false;
        }
        let entry = self.entries.entry(key).or_default();
        entry.counted.count.add(moment.phase, times);
        entry.counted.time_ns.add(moment.phase, took_ns);
        if times > 0 && entry.last_request != Some(moment.request) {
            entry.last_request = Some(moment.request);
            entry.counted.requests.add(moment.phase, 1);
        }
        true
    }

    pub(super) fn add_time(&mut self, key: K, moment: Moment, took_ns: u64) {
        self.add_many(key, moment, 0, took_ns);
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(super) fn into_sorted(self) -> Vec<(K, Counted)>
    where
        K: Ord,
    {
        let mut all: Vec<_> = self.entries.into_iter().map(|(key, entry)| (key, entry.counted)).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }
}

/// Where in a counting something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) phase: usize,
    /// Number of the request over all phases. The time between two requests belongs to the former.
    pub(super) request: u64,
}

/// A phase as it was run, into which events are sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    pub on: bool,
    /// CLOCK_MONOTONIC in ns.
    pub begin_ns: u64,
    pub end_ns: u64,
    /// When each request was sent, in order. In an off phase: when requests would have been sent, so that what other
    /// traffic repeats within such a time is known and drops out.
    pub sent_ns: Vec<u64>,
}

impl Window {
    /// An off phase, cut into stretches of a request's length.
    pub fn idle(begin_ns: u64, end_ns: u64, request_ns: u64) -> Self {
        let step = usize::try_from(request_ns.max(1)).unwrap_or(usize::MAX);
        Self { on: false, begin_ns, end_ns, sent_ns: (begin_ns..end_ns).step_by(step).collect() }
    }

    /// Mean time from one request to the next, ns.
    pub fn request_ns(&self) -> u64 {
        (self.end_ns.saturating_sub(self.begin_ns) / (self.sent_ns.len().max(1) as u64)).max(1)
    }

    /// The request under way, or the last one before.
    pub(super) fn request_at(&self, at_ns: u64) -> u64 {
        (self.sent_ns.partition_point(|sent| *sent <= at_ns).max(1) - 1) as u64
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Transfer<'a> {
    pub(super) at_ns: u64,
    pub(super) pid: u32,
    pub(super) group: usize,
    pub(super) way: Way,
    pub(super) socket: &'a Socket,
    pub(super) result: i64,
    pub(super) payload: &'a [u8],
    pub(super) took_ns: u64,
}
