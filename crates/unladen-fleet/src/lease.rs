//! The principal type is [`Lease`]: until when the fleet relies on this node.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Until when the fleet relies on this node, by this machine's monotonic clock.
///
/// Request threads compare the clock, and need no other thread to set a flag: a process that was stopped for a minute
/// finds the lease over with its first request, before any of its threads has noticed.
#[derive(Debug)]
pub struct Lease {
    base: Instant,
    /// Nanoseconds after the base; 0 if there is none.
    until: AtomicU64,
}

impl Default for Lease {
    fn default() -> Self {
        // In the past: all compared times are later.
        Self { base: Instant::now(), until: AtomicU64::new(0) }
    }
}

impl Lease {
    /// Whether the fleet relies on this node at this time, and it has received everything.
    ///
    /// One relaxed load is enough. Purges before the renewal were applied under the store's lock: a thread that reads
    /// the renewed time and then takes that lock does so after the purges.
    pub fn holds(&self, at: Instant) -> bool {
        self.nanoseconds(at) < self.until.load(Ordering::Relaxed)
    }

    /// The remaining time.
    pub fn left(&self, at: Instant) -> Duration {
        Duration::from_nanos(self.until.load(Ordering::Relaxed).saturating_sub(self.nanoseconds(at)))
    }

    pub(crate) fn renew(&self, until: Instant) {
        self.until.fetch_max(self.nanoseconds(until), Ordering::SeqCst);
    }

    pub(crate) fn end(&self) {
        self.until.store(0, Ordering::SeqCst);
    }

    fn nanoseconds(&self, at: Instant) -> u64 {
        u64::try_from(at.saturating_duration_since(self.base).as_nanos()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests;
