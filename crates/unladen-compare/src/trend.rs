//! The principal type is [`Trend`]: a series of runs, and its changes.

use serde::Serialize;

use crate::figure::Span;
use crate::row::{Kind, named};
use crate::run_label::RunLabel;
use crate::split::FEWEST_RUNS;
use crate::verdict::Verdict;

/// Runs of one target in the order of time, and their changes: `unladen.trend/1`, whose schema describes each field.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    pub schema: &'static str,
    pub verb: String,
    pub target: String,
    pub runs: Vec<RunLabel>,
    pub series: Vec<Series>,
    pub warnings: Vec<String>,
}

impl Trend {
    /// Whether there are enough runs to look for changes; with fewer, their absence means nothing.
    pub fn is_looked_at(&self) -> bool {
        self.runs.len() >= FEWEST_RUNS
    }
}

/// One metric over the runs, named like a [`Row`](crate::Row) of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    pub url: String,
    pub metric: String,
    pub kind: Kind,
    pub group: Option<String>,
    pub counter: Option<String>,
    pub state: Option<String>,
    pub arm: Option<String>,
    /// `ns`, `B`, `1` or `1/s`.
    pub unit: String,
    pub headline: bool,
    /// Whether the machine's own speed is divided out of the points: they are in the unit at the speed of the latest
    /// run's machine.
    pub in_reference_units: bool,
    pub between_runs: f64,
    pub is_ratio: bool,
    pub points: Vec<SeriesPoint>,
    pub changes: Vec<ChangePoint>,
}

impl Series {
    /// The metric's name, as [`Row::name`](crate::Row::name).
    pub fn name(&self) -> String {
        named(&self.metric, self.arm.as_deref(), self.state.as_deref())
    }
}

/// One run's figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SeriesPoint {
    /// Position of the run in [`Trend::runs`].
    pub run: usize,
    pub value: f64,
    /// Lower end of its 95 % interval, with the variation between runs.
    pub low: f64,
    pub high: f64,
}

/// A change of a series.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChangePoint {
    /// The last run before it, a position in [`Trend::runs`].
    pub last_before: usize,
    pub first_after: usize,
    /// The change may also lie later than this run …
    pub earliest: usize,
    /// … and earlier than this one, with 95 % confidence.
    pub latest: usize,
    /// After / before, or after − before if the series is not one of ratios.
    pub change: Span,
    /// For no change anywhere, by permutation, over all series together.
    pub p: f64,
    /// `heavier`, `lighter`, `slower` or `faster`.
    pub verdict: Verdict,
}
