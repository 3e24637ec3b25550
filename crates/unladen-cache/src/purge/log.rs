//! The principal type is [`PurgeLog`]: the last purges, so that what was fetched before one is not stored after it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Purge, Sequence};
use crate::Stored;

/// The last purges, within a bound.
#[derive(Debug)]
pub(crate) struct PurgeLog {
    last: AtomicU64,
    bytes: usize,
    recent: Mutex<Recent>,
}

/// What the purges since a response was asked for leave of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spared {
    /// None meant it.
    Whole,
    /// It is to be asked about.
    Soft,
    /// One meant it, or so much was purged since that it is not known.
    Nothing,
}

#[derive(Debug, Default)]
struct Recent {
    list: VecDeque<Entry>,
    bytes: usize,
    /// The last one that is no longer in the list.
    forgotten: u64,
}

#[derive(Debug)]
struct Entry {
    sequence: u64,
    purge: Purge,
    is_soft: bool,
}

impl PurgeLog {
    /// `bytes`: what all remembered purges may take.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { last: AtomicU64::new(0), bytes, recent: Mutex::default() }
    }

    pub(crate) fn last(&self) -> Sequence {
        Sequence(self.last.load(Ordering::SeqCst))
    }

    /// Remembers a purge, which has to be done after this: a response that is stored meanwhile is either refused by
    /// [`PurgeLog::spares`] or found by the purge.
    pub(crate) fn push(&self, purge: &Purge, is_soft: bool) -> Sequence {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let sequence = self.last.load(Ordering::SeqCst).saturating_add(1);
        recent.bytes += purge.weight() + size_of::<Entry>();
        recent.list.push_back(Entry { sequence, purge: purge.clone(), is_soft });
        while recent.bytes > self.bytes
            && let Some(oldest) = recent.list.pop_front()
        {
            recent.bytes -= oldest.purge.weight() + size_of::<Entry>();
            recent.forgotten = oldest.sequence;
        }
        self.last.store(sequence, Ordering::SeqCst);
        Sequence(sequence)
    }

    /// What purges later than the response's sequence leave of it.
    pub(crate) fn spares(&self, key: &[u8], stored: &Stored) -> Spared {
        if self.last() <= stored.sequence {
            return Spared::Whole;
        }
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if stored.sequence.0 < recent.forgotten {
            return Spared::Nothing;
        }
        let mut spared = Spared::Whole;
        for entry in recent.list.iter().rev().take_while(|entry| entry.sequence > stored.sequence.0) {
            if entry.purge.means(key, stored) {
                if !entry.is_soft {
                    return Spared::Nothing;
                }
                spared = Spared::Soft;
            }
        }
        spared
    }
}
