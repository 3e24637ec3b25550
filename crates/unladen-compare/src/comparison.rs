//! The principal type is [`Comparison`]: two runs, side by side.

use serde::Serialize;

use crate::comparable::Comparable;
use crate::finding_change::FindingChange;
use crate::row::Row;
use crate::side::Side;
use crate::speed::Speed;
use crate::unjudged::Unjudged;

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
