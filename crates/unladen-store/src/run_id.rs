//! The principal type is [`RunId`]: the number of a run.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

/// The number of a run in its store, from 1. Numbers are not reused, not even after the run was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(NonZeroU64);

/// The text is not a run's number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the number of a run: write one that `unladen runs` shows, such as 12")]
pub struct RunIdError(pub(crate) String);

// === impl RunId ===

impl RunId {
    /// `None` for 0, and for numbers above the databases' range.
    pub fn new(number: u64) -> Option<Self> {
        i64::try_from(number).ok()?;
        NonZeroU64::new(number).map(Self)
    }

    /// The number.
    pub fn get(self) -> u64 {
        self.0.get()
    }

    pub(crate) fn column(self) -> i64 {
        i64::try_from(self.0.get()).unwrap_or(i64::MAX)
    }

    pub(crate) fn of_column(column: i64) -> Option<Self> {
        u64::try_from(column).ok().and_then(Self::new)
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for RunId {
    type Err = RunIdError;

    fn from_str(text: &str) -> Result<Self, RunIdError> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if digits { text.parse().ok().and_then(Self::new) } else { None };
        number.ok_or_else(|| RunIdError(text.chars().take(80).collect()))
    }
}

#[cfg(test)]
mod tests;
