//! The principal types are [`RunSummary`] and [`Run`]: a stored run, without and with its document.

use std::collections::BTreeMap;

use crate::position::Position;
use crate::run_id::RunId;

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
