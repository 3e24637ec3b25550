//! The principal type is [`Circuit`]: whether a service that fails is asked at all.

use std::time::{Duration, Instant};

/// After so many failures in a row, it is not asked …
const FAILURES: u32 = 5;
/// … for this long at first, doubled each time that it still fails …
const FIRST: Duration = Duration::from_millis(500);
/// … up to this.
const LONGEST: Duration = Duration::from_secs(30);

/// Whether a service that fails is asked at all.
#[derive(Clone, Debug, Default)]
pub(super) struct Circuit {
    /// In a row.
    failures: u32,
    /// Not before then; none: it answers.
    until: Option<Instant>,
    /// Times in a row that one request was let through and it failed.
    trials: u32,
}

impl Circuit {
    /// Whether it is asked now. While it fails, one request each time is let through.
    pub(super) fn lets_through(&mut self, now: Instant) -> bool {
        match self.until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                // As if this one had failed already: no other is let through meanwhile.
                self.trials = self.trials.saturating_add(1);
                self.open(now);
                true
            }
        }
    }

    /// It answered. Whether it did not before.
    pub(super) fn succeeded(&mut self) -> bool {
        let was_open = self.until.is_some();
        *self = Self::default();
        was_open
    }

    /// It did not. Whether it is not asked any more from now on.
    pub(super) fn failed(&mut self, now: Instant) -> bool {
        if self.until.is_some() {
            return false;
        }
        self.failures = self.failures.saturating_add(1);
        if self.failures < FAILURES {
            return false;
        }
        self.open(now);
        true
    }

    pub(super) fn is_open(&self) -> bool {
        self.until.is_some()
    }

    fn open(&mut self, now: Instant) {
        let most = FIRST.saturating_mul(1 << self.trials.min(10)).min(LONGEST);
        // Between half of it and all: not all nodes at once.
        self.until = Some(now + most.mul_f64(0.5 + 0.5 * fastrand::f64()));
    }
}
