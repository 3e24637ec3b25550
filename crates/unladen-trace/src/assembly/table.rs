//! The principal type is [`Table`]: counts by key.

use std::collections::HashMap;
use std::hash::Hash;

use super::moment::Moment;
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
