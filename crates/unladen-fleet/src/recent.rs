//! The principal type is [`Recent`]: recently applied records, so that a record written twice counts once.
//! And [`Seldom`]: reports something once, then counts for a while.

use std::collections::hash_map::RandomState;
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Recently applied records. A repeated one has the same bytes, node and number included. An older repetition is
/// applied twice, which costs a page and harms nobody.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    hasher: RandomState,
    known: HashSet<u64>,
    order: VecDeque<u64>,
}

const KEPT: usize = 4096;

impl Recent {
    pub(crate) fn insert(&mut self, record: &[u8]) -> bool {
        let hash = self.hasher.hash_one(record);
        if !self.known.insert(hash) {
            return false;
        }
        self.order.push_back(hash);
        if self.order.len() > KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }

    pub(crate) fn clear(&mut self) {
        self.known.clear();
        self.order.clear();
    }
}

/// Limits reports that a writer to the engine could otherwise trigger without end: one, then a count for a while.
#[derive(Debug, Default)]
pub(crate) struct Seldom {
    state: Mutex<(Option<Instant>, u64)>,
}

const PAUSE: Duration = Duration::from_secs(10);

impl Seldom {
    /// Counts an event; returns the number since the last report, if one is due.
    pub(crate) fn passes(&self, now: Instant) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (told, times) = &mut *state;
        *times += 1;
        if told.is_some_and(|told| now.saturating_duration_since(told) < PAUSE) {
            return None;
        }
        *told = Some(now);
        Some(std::mem::take(times))
    }
}

#[cfg(test)]
mod tests;
