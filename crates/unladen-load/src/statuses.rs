//! The principal type is [`Statuses`]: a set of statuses, as a user writes it.
//!
//! ```
//! use unladen_load::Statuses;
//!
//! let statuses: Statuses = "200-299,304".parse()?;
//! assert!(statuses.contains(304) && !statuses.contains(302));
//! assert_eq!(Statuses::default().to_string(), "200-299");
//! # Ok::<(), unladen_load::StatusesError>(())
//! ```

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A set of statuses; 200 to 299 by default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statuses(Vec<RangeInclusive<u16>>);

/// Why a set of statuses was refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{part}` is no status or range of statuses: expected something like 200 or 200-299,304, from 100 to 599")]
pub struct StatusesError {
    /// The part that cannot be read.
    pub part: String,
}

// === impl Statuses ===

impl Statuses {
    /// Whether the set contains this status.
    pub fn contains(&self, status: u16) -> bool {
        self.0.iter().any(|range| range.contains(&status))
    }
}

impl Default for Statuses {
    fn default() -> Self {
        Self(vec![200..=299])
    }
}

impl FromStr for Statuses {
    type Err = StatusesError;

    fn from_str(text: &str) -> Result<Self, StatusesError> {
        text.split(',')
            .map(|part| range(part.trim()).ok_or_else(|| StatusesError { part: part.to_owned() }))
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl fmt::Display for Statuses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match (range.start(), range.end()) {
                (start, end) if start == end => write!(f, "{comma}{start}")?,
                (start, end) => write!(f, "{comma}{start}-{end}")?,
            }
        }
        Ok(())
    }
}

fn range(part: &str) -> Option<RangeInclusive<u16>> {
    let (start, end) = part.split_once('-').unwrap_or((part, part));
    // `parse` alone would accept "+200".
    let status = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    let (start, end) = (status(start)?, status(end)?);
    (100 <= start && start <= end && end <= 599).then_some(start..=end)
}

#[cfg(test)]
mod tests;
