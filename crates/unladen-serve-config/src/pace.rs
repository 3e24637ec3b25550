//! The principal type is [`Pace`]: a client's minimum speed.

use std::time::{Duration, Instant};

use serde::Serialize;

/// A client's minimum average speed, after a grace period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pace {
    /// Time in which no speed is required.
    pub grace: Duration,
    /// Bytes a second; `None` for no minimum.
    pub rate: Option<u64>,
}

impl Pace {
    /// When a transfer that began at `began` and has carried `bytes` becomes too slow, unless more come.
    pub fn until(&self, began: Instant, bytes: u64) -> Option<Instant> {
        let rate = self.rate?.max(1);
        let (whole, rest) = (bytes / rate, bytes % rate);
        // The rest is less than a second's: its ns fit, unless the rate exceeds any line.
        let part = u64::try_from(u128::from(rest) * 1_000_000_000 / u128::from(rate)).unwrap_or(0);
        let earned = Duration::from_secs(whole) + Duration::from_nanos(part);
        began.checked_add(self.grace.checked_add(earned)?)
    }

    /// The slower of both, which neither minds.
    pub(crate) fn or_slower(self, other: Self) -> Self {
        let rate = self.rate.zip(other.rate).map(|(one, other)| one.min(other));
        Self { grace: self.grace.max(other.grace), rate }
    }
}

#[cfg(test)]
mod tests;
