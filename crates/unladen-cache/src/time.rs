//! The principal type is [`Time`]: wall time, as in HTTP dates.

#![allow(clippy::disallowed_types, reason = "ages and dates of HTTP are wall time")]

use std::time::{Duration, SystemTime};

/// Milliseconds since 1970 began, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i64);

/// The last second of HTTP dates, since 1970 began: the end of 9999.
const LAST_SECOND: u64 = 253_402_300_799;

impl Time {
    /// The time of this machine's clock.
    pub fn now() -> Self {
        Self::of(SystemTime::now()).unwrap_or(Self(0))
    }

    fn of(time: SystemTime) -> Option<Self> {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok().map(Self)
    }

    /// Parses an HTTP date in any of its three forms (RFC 9110, section 5.6.7), not before 1970.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        Self::of(httpdate::parse_http_date(text).ok()?)
    }

    /// The time as an HTTP date, in whole seconds: `Sun, 06 Nov 1994 08:49:37 GMT`. Times outside 1970 to 9999 are
    /// clamped.
    pub fn http_date(self) -> String {
        let seconds = u64::try_from(self.0 / 1000).unwrap_or(0).min(LAST_SECOND);
        httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
    }

    /// The time since an earlier one; zero if it is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests;
