//! The principal type is [`Recent`]: what was forgotten lately, so that a record that was written twice is one.

use std::collections::hash_map::RandomState;
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasher;

/// What was forgotten lately. A record that was sent again has the same bytes: its node and its number among them. What
/// is no longer remembered is forgotten twice, which costs a page and harms nobody.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    hasher: RandomState,
    known: HashSet<u64>,
    order: VecDeque<u64>,
}

/// More than a node sends again at once.
const KEPT: usize = 4096;

impl Recent {
    /// Whether it is new; it is known from now on.
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

#[cfg(test)]
mod tests;
