//! The principal types are [`RunSummary`] and [`Run`]: a run that is kept, without and with its document.

use std::collections::BTreeMap;

use crate::position::Position;
use crate::run_id::RunId;

/// What a list shows of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSummary {
    /// Its number.
    pub id: RunId,
    /// When it was measured: ns since 1970 in UTC.
    pub time_ns: i64,
    /// The command: `weigh`, `load` …
    pub verb: String,
    /// The URL, or the name of an experiment.
    pub target: String,
    /// The machine that measured.
    pub host: String,
    /// The version of Unladen that measured.
    pub version: String,
    /// How the measurement ended.
    pub ended: String,
    /// The revision of the folder that was measured.
    pub commit: Option<String>,
    /// Whether that folder had changes that were not committed.
    pub dirty: bool,
    /// What the user calls it.
    pub labels: BTreeMap<String, String>,
    /// The size of the document.
    pub document_bytes: u64,
    /// The size of the evidence; none: no evidence was kept.
    pub evidence_bytes: Option<u64>,
    /// What document and evidence take, compressed.
    pub stored_bytes: u64,
}

/// A run with its document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// All else.
    pub summary: RunSummary,
    /// The whole result, a JSON object.
    pub document: String,
}

impl RunSummary {
    /// Its place in a list, for [`Filter::before`](crate::Filter::before).
    pub fn position(&self) -> Position {
        Position { time_ns: self.time_ns, id: self.id }
    }
}
