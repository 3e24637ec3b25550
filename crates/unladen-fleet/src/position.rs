//! The principal type is [`Position`]: a position in an engine's order of records.

use std::fmt;
use std::str::FromStr;

use crate::BusError;

/// A position in an engine's order of records.
///
/// Two positions can only be compared within an epoch. An engine that may have lost something, as after a restart or a
/// take-over, has another epoch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    epoch: String,
    index: u64,
}

const LONGEST_EPOCH: usize = 80;

// === impl Position ===

impl Position {
    /// `None` unless the epoch is 1 to 80 letters, digits, `.`, `-` and `_`.
    pub fn new(epoch: &str, index: u64) -> Option<Self> {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        let is_epoch = (1..=LONGEST_EPOCH).contains(&epoch.len()) && epoch.bytes().all(is_known);
        is_epoch.then(|| Self { epoch: epoch.to_owned(), index })
    }

    /// The history that it belongs to.
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// Number of records up to and including it.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Whether `other` is at or before this.
    pub fn has_reached(&self, other: &Self) -> bool {
        self.epoch == other.epoch && self.index >= other.index
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.epoch, self.index)
    }
}

impl FromStr for Position {
    type Err = BusError;

    fn from_str(text: &str) -> Result<Self, BusError> {
        let wrong = || BusError::Answer("a position is not of the form EPOCH/NUMBER".to_owned());
        let (epoch, index) = text.split_once('/').ok_or_else(wrong)?;
        // Only the canonical form: `+7` and `07` are refused.
        let is_plain = !index.starts_with(['+', '0']) || index == "0";
        let index = index.parse().ok().filter(|_| is_plain).ok_or_else(wrong)?;
        Self::new(epoch, index).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests;
