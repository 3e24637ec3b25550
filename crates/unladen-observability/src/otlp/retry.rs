//! The principal type is [`Patience`]: pauses before a request to a collector is repeated (OTLP 1.x, "Failures").

use std::time::Duration;

use crate::wall::Wall;

#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Pause before the second attempt; doubled each time, then multiplied by a random factor from 0.5 to 1.5.
    pub(super) first: Duration,
    /// Maximum pause, unless the collector asks for a longer one.
    pub(super) longest: Duration,
    /// No pause may end later than this after the first attempt.
    pub(super) whole: Duration,
}

pub(super) fn is_worth_it(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// `Retry-After` (RFC 9110, section 10.2.3); `None` if it is missing or malformed.
pub(super) fn asked_for(retry_after: Option<&str>, now: Wall) -> Option<Duration> {
    let said = retry_after?.trim();
    said.parse().map(Duration::from_secs).ok().or_else(|| now.until(said))
}

// === impl Patience ===

impl Default for Patience {
    fn default() -> Self {
        Self { first: Duration::from_secs(1), longest: Duration::from_secs(30), whole: Duration::from_secs(60) }
    }
}

impl Patience {
    /// Pause after `times` attempts, `spent` after the first; `None` to give up.
    pub(super) fn wait(&self, times: u32, spent: Duration, asked_for: Option<Duration>) -> Option<Duration> {
        let wait = asked_for.unwrap_or_else(|| {
            let doubled = self.first.saturating_mul(1_u32.checked_shl(times.saturating_sub(1)).unwrap_or(u32::MAX));
            doubled.min(self.longest).mul_f64(0.5 + fastrand::f64())
        });
        (spent.saturating_add(wait) <= self.whole).then_some(wait)
    }
}

#[cfg(test)]
mod tests;
