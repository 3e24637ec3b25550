//! What is kept, for the next process: [`SnapshotFile`](file::SnapshotFile) on disk, which a restart reads, and
//! [`Successor`](successor::Successor), the process that takes over.
//!
//! What the next process may do with a page that its predecessor kept:
//!
//! | it has | a handover | a clean stop | a crash |
//! |---|---|---|---|
//! | a version that a validator gave | the validator is asked, as ever | the same | the same |
//! | a lifetime, no tags, `trust = "fresh"` | as if nothing had happened | answers while it is fresh; age goes on by the clock | asked about |
//! | a lifetime, tags or `trust = "revalidate"` | as if nothing had happened | asked about | asked about |
//!
//! After a handover nothing is in doubt since purges are passed on
//! ([`Successor::forget`](successor::Successor::forget)). Purges are lost while no process runs; and of those before a
//! crash nobody knows which came after the last snapshot. A clock that was set back puts all in doubt.

pub(crate) mod disk;
pub(crate) mod file;
pub(crate) mod remembered;
pub(crate) mod succession;
pub(crate) mod successor;

use std::sync::{Mutex, MutexGuard, PoisonError};

use unladen_cache::Restored;
use unladen_observability::{SnapshotState, WrittenSnapshot};

/// What became of a site's snapshots.
#[derive(Debug, Default)]
pub(crate) struct SnapshotAccount(Mutex<SnapshotState>);

impl SnapshotAccount {
    pub(crate) fn state(&self) -> SnapshotState {
        self.lock().clone()
    }

    pub(crate) fn restored(&self, counts: &Counts) {
        let mut state = self.lock();
        state.loaded += counts.stored;
        for (why, n) in [("known", counts.known), ("purged", counts.purged), ("full", counts.full)] {
            match state.rejected.iter_mut().find(|(other, _)| *other == why) {
                Some((_, sum)) => *sum += n,
                None => state.rejected.push((why, n)),
            }
        }
    }

    pub(crate) fn refused(&self, why: String) {
        self.lock().refused = Some(why);
    }

    pub(crate) fn written(&self, last: WrittenSnapshot) {
        let mut state = self.lock();
        state.last = Some(last);
        state.failure = None;
    }

    /// Records a failed write; whether the reason is a new one.
    pub(crate) fn failed(&self, why: String) -> bool {
        let mut state = self.lock();
        state.failures += 1;
        state.failure.replace(why.clone()) != Some(why)
    }

    fn lock(&self) -> MutexGuard<'_, SnapshotState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) stored: u64,
    known: u64,
    purged: u64,
    full: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, restored: Restored) {
        match restored {
            Restored::Stored => self.stored += 1,
            Restored::Known => self.known += 1,
            Restored::Purged => self.purged += 1,
            Restored::Full => self.full += 1,
        }
    }
}

#[cfg(test)]
mod tests;
