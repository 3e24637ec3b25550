//! The principal type is [`Comparison`]: two runs, side by side.

use serde::Serialize;

use crate::comparable::Comparable;
use crate::finding_change::FindingChange;
use crate::row::Row;
use crate::side::Side;
use crate::speed::Speed;
use crate::unjudged::Unjudged;

/// Two runs, side by side: `unladen.compare/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// `unladen.compare/1`.
    pub schema: &'static str,
    /// The earlier run, or the one that is held to be the baseline.
    pub before: Side,
    /// The later one.
    pub after: Side,
    /// Whether the two can be compared at all. If not, there are no rows and no findings.
    pub comparable: Comparable,
    /// How fast the machine was in the two runs, by its reference work; null where one of them has none.
    pub speed: Option<Speed>,
    /// What the variation between runs was estimated from.
    pub history: Past,
    /// One metric each: by URL, in the order of the documents.
    pub rows: Vec<Row>,
    /// How many of the rows were judged: they differ for certain, or show no measurable difference.
    pub judged: usize,
    /// The other rows, each with why, and the metrics that are left out for their number. A gate that passes says nothing of them.
    pub not_judged: Vec<Unjudged>,
    /// Patterns of waste: those of the later run first.
    pub findings: Vec<FindingChange>,
    /// Sentences: what limits the comparison.
    pub warnings: Vec<String>,
}

/// The other runs that the variation between runs was estimated from: earlier than the later of the two, if there are enough.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Past {
    /// How many runs of the same target, measured the same way, there were.
    pub runs: usize,
    /// How many of them were measured on the later run's machine.
    pub of_this_machine: usize,
}

impl Comparison {
    /// The rows that differ for certain.
    pub fn changed(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.verdict.is_told())
    }
}
