//! The principal type is [`Position`]: the end of one page of runs, and the start of the next.

use std::fmt;
use std::str::FromStr;

use crate::run_id::RunId;

/// A run's place among all, newest first: its time, then its number. It remains valid after the run is removed.
///
/// The text form for addresses of pages is `TIME-NUMBER` (`1795410000000000000-12`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// ns since 1970 in UTC.
    pub time_ns: i64,
    pub id: RunId,
}

/// The text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the end of a page of runs: it has the form TIME-NUMBER, as the page itself links to the next")]
pub struct PositionError(String);

// === impl Position ===

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.time_ns, self.id)
    }
}

impl FromStr for Position {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        // A time before 1970 begins with a hyphen.
        let read = || {
            let (time, id) = text.rsplit_once('-')?;
            Some(Self { time_ns: time.parse().ok()?, id: id.parse().ok()? })
        };
        read().ok_or_else(|| PositionError(text.chars().take(80).collect()))
    }
}

#[cfg(test)]
mod tests;
