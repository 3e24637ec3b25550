//! The principal type is [`Pace`]: how fast a client has to be at least.

use std::time::{Duration, Instant};

use serde::Serialize;

/// How fast a client has to be at least: so many bytes a second on average, after a while in which it need do nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pace {
    /// For so long nothing is asked of it.
    pub grace: Duration,
    /// Bytes a second; none: however slow it is.
    pub rate: Option<u64>,
}

impl Pace {
    /// Of one that began then and has carried so many bytes: when it is too slow, unless more come.
    pub fn until(&self, began: Instant, bytes: u64) -> Option<Instant> {
        let rate = self.rate?.max(1);
        let (whole, rest) = (bytes / rate, bytes % rate);
        // The rest is less than a second's: in ns it fits unless the rate is beyond all lines.
        let part = u64::try_from(u128::from(rest) * 1_000_000_000 / u128::from(rate)).unwrap_or(0);
        let earned = Duration::from_secs(whole) + Duration::from_nanos(part);
        began.checked_add(self.grace.checked_add(earned)?)
    }

    /// What neither of the two minds.
    pub(crate) fn or_slower(self, other: Self) -> Self {
        let rate = self.rate.zip(other.rate).map(|(one, other)| one.min(other));
        Self { grace: self.grace.max(other.grace), rate }
    }
}

#[cfg(test)]
mod tests;
