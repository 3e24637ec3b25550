//! The principal type is [`ResolveStatus`]: state of an upstream's lookups.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// State of an upstream's lookups. Shared with readers.
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
    /// Completed lookups, failed ones included.
    pub fn lookups(&self) -> u64 {
        self.lookups.load(Ordering::Relaxed)
    }

    /// Failed lookups.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Error of the last lookup, if it failed.
    pub fn error(&self) -> Option<String> {
        self.last().error.clone()
    }

    /// Age of the last good answer, if lookups have failed since; `None` while they succeed, or never have.
    pub fn stale(&self) -> Option<Duration> {
        let last = self.last();
        last.error.as_ref().and(last.good).map(|good| good.elapsed())
    }

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
