//! The principal type is [`Trend`]: a series of runs, and where it changed.

use serde::Serialize;

use crate::figure::Span;
use crate::row::{Kind, named};
use crate::run_label::RunLabel;
use crate::split::FEWEST_RUNS;
use crate::verdict::Verdict;

/// Runs of one target in the order of time, and where they changed: `unladen.trend/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    /// `unladen.trend/1`.
    pub schema: &'static str,
    /// The command that made the runs.
    pub verb: String,
    /// The URLs.
    pub target: String,
    /// The runs, the earliest first.
    pub runs: Vec<RunLabel>,
    /// One metric each.
    pub series: Vec<Series>,
    /// Sentences: what limits the trend.
    pub warnings: Vec<String>,
}

impl Trend {
    /// Whether the runs are enough to look for changes: of fewer, that nothing changed is not known.
    pub fn is_looked_at(&self) -> bool {
        self.runs.len() >= FEWEST_RUNS
    }
}

/// One metric over the runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// The page; empty where the metric is of all of them.
    pub url: String,
    /// As of a row of a comparison.
    pub metric: String,
    /// As of a row of a comparison.
    pub kind: Kind,
    /// As of a row of a comparison.
    pub group: Option<String>,
    /// As of a row of a comparison.
    pub counter: Option<String>,
    /// As of a row of a comparison.
    pub state: Option<String>,
    /// As of a row of a comparison.
    pub arm: Option<String>,
    /// `ns`, `B`, `1` or `1/s`.
    pub unit: String,
    /// As of a row of a comparison.
    pub headline: bool,
    /// Whether the machine's own speed is divided out of the points: they are in the unit at the speed of the latest
    /// run's machine.
    pub in_reference_units: bool,
    /// The variation between runs, as a standard deviation: as a share, where `is_ratio`, else in the unit.
    pub between_runs: f64,
    /// Whether the changes are ratios; else they are differences in the unit.
    pub is_ratio: bool,
    /// Of the runs that have the metric, the earliest first.
    pub points: Vec<SeriesPoint>,
    /// Where it changed, the earliest first.
    pub changes: Vec<ChangePoint>,
}

impl Series {
    /// As [`Row::name`](crate::Row::name).
    pub fn name(&self) -> String {
        named(&self.metric, self.arm.as_deref(), self.state.as_deref())
    }
}

/// One run's figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SeriesPoint {
    /// The position of the run in [`Trend::runs`].
    pub run: usize,
    /// The figure.
    pub value: f64,
    /// Lower end of its 95 % interval, with the variation between runs.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
}

/// Where a series changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChangePoint {
    /// The last run before it, a position in [`Trend::runs`].
    pub last_before: usize,
    /// The first run after it.
    pub first_after: usize,
    /// The change may also lie later than this run …
    pub earliest: usize,
    /// … and earlier than this one, with 95 % confidence.
    pub latest: usize,
    /// After / before, or after − before where the series is not one of ratios.
    pub change: Span,
    /// For no change anywhere, by permutation, over all series together.
    pub p: f64,
    /// `heavier`, `lighter`, `slower` or `faster`.
    pub verdict: Verdict,
}
