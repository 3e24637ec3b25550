//! The principal type is [`Position`]: a place in the order of what an engine was given.

use std::fmt;
use std::str::FromStr;

use crate::BusError;

/// A place in the order of what an engine was given.
///
/// Two places can be compared within an epoch alone. An engine that may have lost something, as one that was started
/// again or that took over from another, has another epoch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    epoch: String,
    index: u64,
}

/// Bytes of an epoch, at most.
const LONGEST_EPOCH: usize = 80;

// === impl Position ===

impl Position {
    /// None: an epoch is 1 to 80 letters, digits, `.`, `-` and `_`.
    pub fn new(epoch: &str, index: u64) -> Option<Self> {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        let is_epoch = (1..=LONGEST_EPOCH).contains(&epoch.len()) && epoch.bytes().all(is_known);
        is_epoch.then(|| Self { epoch: epoch.to_owned(), index })
    }

    /// Which history it is a place of.
    pub fn epoch(&self) -> &str {
        &self.epoch
    }

    /// How many were before it, and it itself.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Whether all up to `other` is before this, or is this.
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
        // As it was written, and no other way: `+7` and `07` are not.
        let is_plain = !index.starts_with(['+', '0']) || index == "0";
        let index = index.parse().ok().filter(|_| is_plain).ok_or_else(wrong)?;
        Self::new(epoch, index).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests;
