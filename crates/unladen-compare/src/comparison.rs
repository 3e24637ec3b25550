//! The principal type is [`Comparison`]: two runs, side by side.

use std::collections::BTreeMap;

use serde::Serialize;
use unladen_document::Document;

use crate::finding_changes::FindingChange;
use crate::row::{Row, Unjudged};
use crate::speed::Speed;

/// Two runs side by side: `unladen.compare/1`, whose schema describes each field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    pub schema: &'static str,
    /// The earlier run, or the one chosen as the baseline.
    pub before: Side,
    pub after: Side,
    /// Whether they can be compared at all. If not, there are no rows and no findings.
    pub comparable: Comparable,
    pub speed: Option<Speed>,
    pub history: Past,
    pub rows: Vec<Row>,
    pub judged: usize,
    /// The other rows with reasons, and the metrics left out for their number. A gate that passes does not cover them.
    pub not_judged: Vec<Unjudged>,
    pub findings: Vec<FindingChange>,
    pub warnings: Vec<String>,
}

/// The other runs that the variation between runs was estimated from: earlier than the later of the two, if there are
/// enough.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Past {
    pub runs: usize,
    pub of_this_machine: usize,
}

impl Comparison {
    /// The rows that differ for certain.
    pub fn changed(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.verdict.is_told())
    }
}

/// Whether two runs can be compared, with reasons as sentences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "verdict", content = "reasons")]
pub enum Comparable {
    /// Runs of one machine, measured the same way.
    #[serde(rename = "yes")]
    Yes,
    /// Runs of different machines: counts are compared as they are, times only in units of the reference work.
    #[serde(rename = "across machines")]
    AcrossMachines(Vec<String>),
    /// They answer different questions.
    #[serde(rename = "no")]
    No(Vec<String>),
}

impl Comparable {
    /// Why not, or why only with care.
    pub fn reasons(&self) -> &[String] {
        match self {
            Self::Yes => &[],
            Self::AcrossMachines(reasons) | Self::No(reasons) => reasons,
        }
    }

    /// Whether the comparison has rows.
    pub fn is_comparable(&self) -> bool {
        !matches!(self, Self::No(_))
    }
}

/// One of two runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Side {
    /// The user's name for it: number in the store, or a file. Set by the caller of the comparison.
    pub id: Option<String>,
    pub verb: String,
    pub target: String,
    pub time: Option<String>,
    pub host: Option<String>,
    pub version: Option<String>,
    pub commit: Option<String>,
    pub dirty: Option<bool>,
    pub labels: BTreeMap<String, String>,
}

impl Side {
    /// Reads a document's description of its run.
    pub fn of(document: &Document) -> Self {
        let about = document.about();
        let revision = about.revision.as_ref();
        Self {
            id: None,
            verb: document.verb().to_owned(),
            target: document.target().to_owned(),
            time: about.time.clone(),
            host: about.host.clone(),
            version: about.version.clone(),
            commit: revision.and_then(|revision| revision.commit.clone()),
            dirty: revision.and_then(|revision| revision.dirty),
            labels: about.labels.clone(),
        }
    }
}
