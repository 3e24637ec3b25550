//! The principal type is [`Wall`]: wall time for logs and collectors. Durations are measured by the monotonic clock.

#![allow(clippy::disallowed_types, reason = "what is told to the outside is told in wall time")]

use std::fmt;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Wall time after 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wall(Duration);

impl Wall {
    pub(super) fn now() -> Self {
        Self(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    /// Wall time of `then`, if the clock was not set since.
    pub(super) fn of(then: Instant) -> Self {
        Self(Self::now().0.saturating_sub(then.elapsed()))
    }

    pub(super) fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }

    /// Time until the date of a header (RFC 9110, section 5.6.7); zero if it is past, `None` if it is no date.
    pub(super) fn until(self, date: &str) -> Option<Duration> {
        let date = httpdate::parse_http_date(date).ok()?;
        Some(date.duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(self.0))
    }

    /// Nanoseconds since 1970, until the year 2554.
    pub(super) fn ns(self) -> u64 {
        u64::try_from(self.0.as_nanos()).unwrap_or(u64::MAX)
    }

    /// Seconds since 1970.
    pub(super) fn seconds(self) -> f64 {
        self.0.as_secs_f64()
    }
}

/// RFC 3339, UTC, with microseconds.
impl fmt::Display for Wall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Years beyond 9999 cannot be written.
        let last = Duration::new(253_402_300_799, 999_999_999);
        humantime::format_rfc3339_micros(UNIX_EPOCH + self.0.min(last)).fmt(f)
    }
}

#[cfg(test)]
mod tests;
