//! Runs of a store: [`NewRun`] to keep, [`RunSummary`] in a list and [`Run`] with its document, by their [`RunId`] and
//! their [`Position`] in a list.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::str::FromStr;

/// A run in a list; see [`NewRun`](crate::NewRun) for its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    pub id: RunId,
    /// Time of the measurement: ns since 1970 in UTC.
    pub time_ns: i64,
    pub verb: String,
    pub target: String,
    pub host: String,
    pub version: String,
    pub ended: String,
    pub commit: Option<String>,
    pub dirty: bool,
    pub labels: BTreeMap<String, String>,
    pub document_bytes: u64,
    /// `None` if no evidence was kept.
    pub evidence_bytes: Option<u64>,
    /// Compressed size of document and evidence.
    pub stored_bytes: u64,
}

/// A run with its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub summary: RunSummary,
    pub document: String,
}

impl RunSummary {
    /// Its place in a list, for [`Filter::before`](crate::Filter::before).
    pub fn position(&self) -> Position {
        Position { time_ns: self.time_ns, id: self.id }
    }
}

/// A run to keep. Texts are UTF-8 without NUL; [`Store::keep`](crate::Store::keep) refuses what exceeds a store's
/// limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRun {
    /// The command: `weigh`, `load` …
    pub verb: String,
    /// The URL, or the name of an experiment.
    pub target: String,
    /// Time of the measurement: ns since 1970 in UTC.
    pub time_ns: i64,
    pub host: String,
    pub version: String,
    /// How the measurement ended: `done`, `interrupted` …
    pub ended: String,
    /// Revision of the measured folder, if any, in hexadecimal digits.
    pub commit: Option<String>,
    pub dirty: bool,
    /// The user's labels: `release` → `1.43`.
    pub labels: BTreeMap<String, String>,
    /// The whole result, a JSON object.
    pub document: String,
    /// Recording of the evidence behind the findings.
    pub evidence: Option<Vec<u8>>,
}

/// The number of a run in its store, from 1. Numbers are not reused, not even after the run was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
#[display("{_0}")]
pub struct RunId(NonZeroU64);

/// The text is not a run's number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the number of a run: use one that `unladen runs` shows, such as 12")]
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

impl FromStr for RunId {
    type Err = RunIdError;

    fn from_str(text: &str) -> Result<Self, RunIdError> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if digits { text.parse().ok().and_then(Self::new) } else { None };
        number.ok_or_else(|| RunIdError(text.chars().take(80).collect()))
    }
}

/// A run's place among all, newest first: its time, then its number. It remains valid after the run is removed.
///
/// The text form for addresses of pages is `TIME-NUMBER` (`1795410000000000000-12`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, derive_more::Display)]
#[display("{time_ns}-{id}")]
pub struct Position {
    /// ns since 1970 in UTC.
    pub time_ns: i64,
    pub id: RunId,
}

/// The text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not the end of a page of runs: it has the form TIME-NUMBER, as the page itself links to the next")]
pub struct PositionError(String);

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
