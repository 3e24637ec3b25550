//! The principal type is [`Time`]: wall time, as HTTP's dates tell it.

use std::time::Duration;

/// Milliseconds since 1970 began, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i64);

// === impl Time ===

impl Time {
    /// Of this machine's clock.
    pub fn now() -> Self {
        #[allow(clippy::disallowed_types, reason = "ages and dates of HTTP are wall time")]
        let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
        Self(since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
    }

    /// An HTTP-date in any of its three forms (RFC 9110, section 5.6.7).
    pub fn parse(text: &[u8]) -> Option<Self> {
        todo!()
    }

    /// How long ago an earlier time was; zero if it is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}
