//! The principal type is [`Patience`]: how long to wait before something is sent to a collector again (OTLP 1.x,
//! "Failures").

use std::time::Duration;

use crate::wall::Wall;

/// How long to wait, and when to give up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Before the second time; doubled each time, and drawn between half of it and one and a half.
    pub(super) first: Duration,
    /// No wait is longer, but one that the collector asks for.
    pub(super) longest: Duration,
    /// No wait may end after this, from the first time on.
    pub(super) whole: Duration,
}

/// Whether a collector may take later what it has not taken now.
pub(super) fn is_worth_it(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// How long a collector wants to be left alone (RFC 9110, section 10.2.3); none: it does not say, or what it says
/// cannot be read.
pub(super) fn asked_for(retry_after: Option<&str>, now: Wall) -> Option<Duration> {
    let said = retry_after?.trim();
    said.parse().map(Duration::from_secs).ok().or_else(|| now.until(said))
}

// === impl Patience ===

impl Default for Patience {
    /// As OpenTelemetry's own exporters have it, roughly.
    fn default() -> Self {
        Self { first: Duration::from_secs(1), longest: Duration::from_secs(30), whole: Duration::from_secs(60) }
    }
}

impl Patience {
    /// How long to wait after so many times, `spent` after the first, if the collector asked for that; none: it is to
    /// be given up.
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
