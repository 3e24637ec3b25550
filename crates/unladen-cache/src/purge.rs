//! The principal types are [`Purge`]: which responses to forget; and [`PurgeLog`]: the last purges.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::{Sequence, Stored};

/// Which responses to forget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purge {
    /// The key of [`write_key`](crate::write_key), with all variants.
    Key(Vec<u8>),
    Prefix(Vec<u8>),
    Tag(Box<str>),
    All,
}

impl Purge {
    /// Whether it covers a response stored under this key.
    pub fn means(&self, key: &[u8], stored: &Stored) -> bool {
        match self {
            Self::Key(meant) => key == meant.as_slice(),
            Self::Prefix(prefix) => key.starts_with(prefix),
            Self::Tag(tag) => stored.has_tag(tag),
            Self::All => true,
        }
    }

    fn weight(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Key(bytes) | Self::Prefix(bytes) => bytes.len(),
                Self::Tag(tag) => tag.len(),
                Self::All => 0,
            }
    }
}

/// The last purges, so that a response fetched before one is not stored after it.
#[derive(Debug)]
pub(crate) struct PurgeLog {
    last: AtomicU64,
    bytes: usize,
    recent: Mutex<Recent>,
}

/// How purges since its request affect a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spared {
    /// No purge covers it.
    Whole,
    /// It has to be validated.
    Soft,
    /// A purge covers it, or too many have passed to know.
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
    /// `bytes`: bound of all remembered purges.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { last: AtomicU64::new(0), bytes, recent: Mutex::default() }
    }

    pub(crate) fn last(&self) -> Sequence {
        Sequence(self.last.load(Ordering::SeqCst))
    }

    /// Remembers a purge, which has to be carried out after this: a response stored meanwhile is then either refused by
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

    /// The effect of purges later than the response's sequence.
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

#[cfg(test)]
mod tests;
