//! The principal type is [`Expect`]: which answers are right. A fast error is not a fast page.
//!
//! ```
//! use unladen_load::Expect;
//!
//! let expect = Expect { statuses: "200-299,304".parse()?, ..Expect::default() };
//! assert!(expect.statuses.contains(304) && !expect.statuses.contains(302));
//! assert_eq!(Expect::default().statuses.to_string(), "200-299");
//! # Ok::<(), unladen_load::StatusesError>(())
//! ```

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use memchr::memmem;
use serde::{Deserialize, Serialize};

/// What an answer must be to be counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    pub statuses: Statuses,
    pub body: Option<BodyText>,
    /// Whether each answer must equal the first one to the same request.
    pub same: bool,
}

/// A set of statuses; 200 to 299 by default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Statuses(Vec<RangeInclusive<u16>>);

/// Why a set of statuses was refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{part}` is not a status or a range of statuses: expected something like 200 or 200-299,304, from 100 to 599")]
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

impl TryFrom<String> for Statuses {
    type Error = StatusesError;

    fn try_from(text: String) -> Result<Self, StatusesError> {
        text.parse()
    }
}

impl From<Statuses> for String {
    fn from(statuses: Statuses) -> Self {
        statuses.to_string()
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

/// A text to look for in bodies as sent: a compressed body is not unpacked.
#[derive(Clone, Debug, derive_more::Display)]
#[display("one that contains {:?}", String::from_utf8_lossy(_0.needle()))]
pub struct BodyText(memmem::Finder<'static>);

pub(crate) struct Look<'a> {
    finder: &'a memmem::Finder<'static>,
    tail: Vec<u8>,
    pub(crate) found: bool,
}

// === impl BodyText ===

impl BodyText {
    /// Looks for this text.
    pub fn new(text: &str) -> Self {
        Self(memmem::Finder::new(text.as_bytes()).into_owned())
    }

    /// Looks for these bytes.
    pub fn of_bytes(text: &[u8]) -> Self {
        Self(memmem::Finder::new(text).into_owned())
    }

    /// The text it looks for.
    pub fn text(&self) -> &[u8] {
        self.0.needle()
    }

    pub(crate) fn look(&self) -> Look<'_> {
        Look { finder: &self.0, tail: Vec::new(), found: self.0.needle().is_empty() }
    }
}

impl PartialEq for BodyText {
    fn eq(&self, other: &Self) -> bool {
        self.0.needle() == other.0.needle()
    }
}

impl Eq for BodyText {}

impl Look<'_> {
    pub(crate) fn through(&mut self, piece: &[u8]) {
        if self.found {
            return;
        }
        let overlap = self.finder.needle().len() - 1;
        // The text may begin in the last piece and end in this one.
        self.tail.extend_from_slice(&piece[..piece.len().min(overlap)]);
        self.found = self.finder.find(&self.tail).is_some() || self.finder.find(piece).is_some();
        if piece.len() >= overlap {
            self.tail.clear();
            self.tail.extend_from_slice(&piece[piece.len() - overlap..]);
        } else {
            let start = self.tail.len().saturating_sub(overlap);
            self.tail.drain(..start);
        }
    }
}

#[cfg(test)]
mod tests;
