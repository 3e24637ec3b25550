//! The principal type is [`Circuit`]: whether a failing service is asked at all.

use std::time::{Duration, Instant};

/// Failures in a row after which it is not asked …
const FAILURES: u32 = 5;
/// … for this long at first, doubled each time that it still fails …
const FIRST: Duration = Duration::from_millis(500);
/// … up to this.
const LONGEST: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, Default)]
pub(super) struct Circuit {
    /// In a row.
    failures: u32,
    /// When it may be asked again; `None` while it answers.
    until: Option<Instant>,
    /// Failed trials in a row.
    trials: u32,
}

impl Circuit {
    /// Whether it is asked now. While it fails, one request each time is let through.
    pub(super) fn lets_through(&mut self, now: Instant) -> bool {
        match self.until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                // Counted as failed in advance: no other is let through meanwhile.
                self.trials = self.trials.saturating_add(1);
                self.open(now);
                true
            }
        }
    }

    /// Records a success; whether it had failed before.
    pub(super) fn succeeded(&mut self) -> bool {
        let was_open = self.until.is_some();
        *self = Self::default();
        was_open
    }

    /// Records a failure; whether it is not asked any more from now on.
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
        // Between half and all of it, so that not all nodes ask at once.
        self.until = Some(now + most.mul_f64(0.5 + 0.5 * fastrand::f64()));
    }
}
