//! The principal type is [`SnapshotAccount`]: counts what became of a site's snapshots.

use std::sync::{Mutex, MutexGuard, PoisonError};

use unladen_cache::Restored;
use unladen_observability::{SnapshotState, WrittenSnapshot};

#[derive(Debug, Default)]
pub(crate) struct SnapshotAccount(Mutex<SnapshotState>);

// === impl SnapshotAccount ===

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
