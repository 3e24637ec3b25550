//! The principal type is [`Recent`]: recently applied records, so that a record written twice counts once.

use std::collections::hash_map::RandomState;
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasher;

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

#[cfg(test)]
mod tests;
