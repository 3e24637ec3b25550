//! The principal type is [`Prove`]: everything that `unladen prove` found.

use std::time::Duration;

use unladen_document::{Answer, ArmProfile, BoxPlot, Gate, LoadAgent, Machine};
pub use unladen_document::{Change, Metric};
use unladen_lockin::Role;
use unladen_quantity::{Kind, Span};

use crate::ended::Ended;
use crate::statuses::statuses_text;
use crate::warning::Warning;

/// The result of one experiment: the figures of `unladen.prove/1`, whose schema describes each of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Prove {
    pub title: String,
    /// `ab`, `ablate` or `factorial`.
    pub design: &'static str,
    pub setup: ProveSetup,
    pub ended: Ended,
    /// The first is the baseline, the last the baseline again.
    pub arms: Vec<ArmResult>,
    /// Differences of each arm from the baseline: every quantile, the mean, shares within a time, throughput, weights.
    pub comparisons: Vec<Comparison>,
    /// What changes do together, in ablations and factorial designs.
    pub interactions: Vec<Interaction>,
    /// Total time needed to detect 1 % of the first quantile; `None` if it is detected already.
    pub time_for_one_percent: Option<Duration>,
    pub profiles: Vec<ArmProfile>,
    /// Outcome of undoing the changes made to the system.
    pub put_back: Vec<String>,
    pub gates: Vec<Gate>,
    pub machine: Option<Machine>,
    pub warnings: Vec<Warning>,
}

/// How it was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct ProveSetup {
    pub target: String,
    pub rate: Option<f64>,
    /// Maximum requests under way at once; in a closed loop always this many.
    pub concurrency: usize,
    pub keep_cookies: bool,
    pub seed: u64,
    pub elapsed: Duration,
    pub phase: Duration,
    pub blocks: usize,
    /// The outer level.
    pub restarts: usize,
    /// What was resampled: `restarts` or `blocks`.
    pub unit: &'static str,
    /// 99th percentile of the generator's lateness, in ns; `None` in a closed loop.
    pub send_lag_p99: Option<u64>,
    pub agents: Vec<LoadAgent>,
}

/// One arm.
#[derive(Debug, Clone, PartialEq)]
pub struct ArmResult {
    /// `baseline`, `candidate`, the name of a change, `all`, `all but …`, `baseline again`.
    pub name: String,
    pub on: Vec<String>,
    /// Roles in the design; an arm can have several.
    pub roles: Vec<Role>,
    pub requests: u64,
    pub errors: u64,
    pub changed: u64,
    pub statuses: Vec<(u16, u64)>,
    /// Answer to each URL when the arm was tried; empty if other hosts sent it.
    pub answers: Vec<Answer>,
    /// In ns.
    pub box_plot: Option<BoxPlot>,
    /// (Latency in ns, share of requests at or below), at most some hundred points.
    pub distribution: Vec<(u64, f64)>,
    pub cold: Option<BoxPlot>,
}

/// One metric of one arm against the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    pub arm: String,
    /// `latency.p50`, `cold.latency.mean`, `within.50ms`, `throughput`, `bytes.body`, `statuses.304`, `weight.cpu
    /// www-data php-fpm8.2`.
    pub metric: String,
    pub kind: Metric,
    pub weight: Option<WeightMetric>,
    /// In ns, as a share, per second, in bytes, or in the counter's unit per request.
    pub baseline: f64,
    pub candidate: f64,
    /// The arm's own figure with its interval, whatever the baseline's is.
    pub absolute: Option<Span>,
    /// candidate / baseline; `None` if the baseline's weight is indistinguishable from nothing.
    pub ratio: Option<Span>,
    pub difference: Span,
    /// Difference of the baseline from itself, as a share (of the ratio) or, without a ratio, in the unit.
    pub floor: f64,
    /// Limit for the whole interval if there is no measurable difference, in the unit of the floor.
    pub margin: Option<f64>,
    /// Total time needed to settle an unclear difference.
    pub settled_after: Option<Duration>,
    pub on_path: Option<bool>,
    pub adjusted_p: f64,
    pub verdict: Change,
}

/// The counter of a weight.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightMetric {
    pub group: String,
    pub counter: &'static str,
    pub title: &'static str,
    pub unit: &'static str,
    pub kind: Kind,
    pub approximate: bool,
}

/// What changes do together.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    pub metric: String,
    pub knobs: Vec<String>,
    pub kind: InteractionKind,
    /// The effect as a ratio (below 1: less).
    pub ratio: Span,
    /// Combined effect of the single changes as a ratio, if that is the comparison.
    pub expected: Option<Span>,
    /// Whether it differs from chance.
    pub told: bool,
    /// If it does not: whether its whole interval lies within the margin of equality.
    pub is_equal: bool,
}

/// What an interaction compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InteractionKind {
    /// All together against the product of each alone: `ratio` is all together, `expected` the product.
    AllAgainstAlone,
    /// A knob's effect over all combinations of the others (factorial).
    MainEffect,
    /// How far two knobs' effects fail to multiply (factorial): 1 if they multiply.
    Pair,
}

impl ArmResult {
    /// Answers by status, as `116 × 200, 34 × 503`.
    pub fn statuses_text(&self) -> String {
        statuses_text(&self.statuses)
    }
}

impl Comparison {
    /// Whether its interval excludes no change.
    pub fn excludes_no_change(&self) -> bool {
        let (span, none) = self.ratio.map_or((self.difference, 0.0), |ratio| (ratio, 1.0));
        span.low > none || span.high < none
    }
}

impl InteractionKind {
    /// The name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AllAgainstAlone => "all against alone",
            Self::MainEffect => "main effect",
            Self::Pair => "pair",
        }
    }
}

impl Prove {
    pub(crate) fn of_arm(&self, arm: &str) -> impl Iterator<Item = &Comparison> {
        self.comparisons.iter().filter(move |comparison| comparison.arm == arm)
    }

    /// The baseline's value of a metric over both its arms, which all others are compared with.
    pub(crate) fn baseline_of(&self, metric: &str) -> Option<f64> {
        self.comparisons.iter().find(|comparison| comparison.metric == metric).map(|comparison| comparison.baseline)
    }

    pub(crate) fn has(&self, wanted: impl Fn(Role) -> bool) -> bool {
        self.arms.iter().flat_map(|arm| &arm.roles).any(|role| wanted(*role))
    }

    /// The arm whose differences are shown in full: the candidate, or all changes together.
    pub(crate) fn changed_arm(&self) -> Option<&ArmResult> {
        let with = |role| self.arms.iter().find(|arm| arm.roles.contains(&role));
        let is_changed =
            |arm: &&ArmResult| !arm.roles.iter().any(|role| matches!(role, Role::Baseline | Role::BaselineAgain));
        with(Role::Candidate)
            .or_else(|| with(Role::All))
            .or_else(|| self.arms.iter().filter(is_changed).max_by_key(|arm| arm.on.len()))
    }

    /// First quantile compared, such as `latency.p50`.
    pub(crate) fn first_quantile(&self) -> Option<&str> {
        let is_quantile = |comparison: &&Comparison| comparison.metric.starts_with("latency.p");
        self.comparisons.iter().find(is_quantile).map(|comparison| comparison.metric.as_str())
    }
}
