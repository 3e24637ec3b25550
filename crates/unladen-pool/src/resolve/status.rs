//! The principal type is [`ResolveStatus`]: how asking for endpoints goes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How asking goes. Shared with whoever shows it.
#[derive(Debug, Default)]
pub struct ResolveStatus {
    lookups: AtomicU64,
    failures: AtomicU64,
    last: Mutex<Last>,
}

#[derive(Debug, Default)]
struct Last {
    error: Option<String>,
    good: Option<Instant>,
}

impl ResolveStatus {
    /// Look-ups that ended, well or not.
    pub fn lookups(&self) -> u64 {
        self.lookups.load(Ordering::Relaxed)
    }

    /// Those that failed.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Why the last time failed, if it did.
    pub fn error(&self) -> Option<String> {
        self.last().error.clone()
    }

    /// How old the last good answer is, if asking has failed since; nothing, while it goes well or never has.
    pub fn stale(&self) -> Option<Duration> {
        let last = self.last();
        last.error.as_ref().and(last.good).map(|good| good.elapsed())
    }

    /// A look-up ended.
    pub(crate) fn looked_up(&self, well: bool) {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        if !well {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn succeeded(&self) {
        *self.last() = Last { error: None, good: Some(Instant::now()) };
    }

    pub(crate) fn failed(&self, error: String) {
        self.last().error = Some(error);
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
