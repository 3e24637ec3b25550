//! The principal type is [`Prove`]: all that `unladen prove` found.

use std::time::Duration;

use unladen_document::{Answer, ArmProfile, BoxPlot, Gate, LoadAgent, Machine};
pub use unladen_document::{Change, Metric};
use unladen_lockin::Role;
use unladen_quantity::{Kind, Span};

use crate::ended::Ended;
use crate::statuses::statuses_text;
use crate::warning::Warning;

/// The result of one experiment.
#[derive(Debug, Clone, PartialEq)]
pub struct Prove {
    /// What the experiment is called.
    pub title: String,
    /// `ab`, `ablate` or `factorial`.
    pub design: &'static str,
    /// How it was measured.
    pub setup: ProveSetup,
    pub ended: Ended,
    /// The arms; the first is the baseline, the last the baseline again.
    pub arms: Vec<ArmResult>,
    /// What differs, arm by arm against the baseline: every quantile, the mean, shares within a time, throughput,
    /// weights.
    pub comparisons: Vec<Comparison>,
    /// For ablations and factorial designs: what the changes do together.
    pub interactions: Vec<Interaction>,
    /// How long it would take to tell 1 % of the first quantile, in all; none where it is told.
    pub time_for_one_percent: Option<Duration>,
    /// With `--profile`, what was written of each arm's profile.
    pub profiles: Vec<ArmProfile>,
    /// What became of the changes that were made to the system.
    pub put_back: Vec<String>,
    /// `--fail-on` conditions, and whether each is broken for certain.
    pub gates: Vec<Gate>,
    /// What the machine did meanwhile.
    pub machine: Option<Machine>,
    /// What the reader should know before believing it.
    pub warnings: Vec<Warning>,
}

/// How it was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct ProveSetup {
    /// What was asked for.
    pub target: String,
    /// Requests a second; none in a closed loop.
    pub rate: Option<f64>,
    /// The most requests under way at once; in a closed loop always so many.
    pub concurrency: usize,
    /// Whether cookies that answers set were sent back.
    pub keep_cookies: bool,
    /// The seed that repeats the order of the arms.
    pub seed: u64,
    /// From the first phase to the last.
    pub elapsed: Duration,
    /// Mean length of a phase.
    pub phase: Duration,
    /// Blocks counted, in all restarts.
    pub blocks: usize,
    /// The outer level.
    pub restarts: usize,
    /// What was resampled: `restarts` or `blocks`.
    pub unit: &'static str,
    /// The generator's lag: 99 % of the requests were at most this late, ns; none in a closed loop.
    pub send_lag_p99: Option<u64>,
    /// The hosts that sent it; empty where this one did.
    pub agents: Vec<LoadAgent>,
}

/// One arm.
#[derive(Debug, Clone, PartialEq)]
pub struct ArmResult {
    /// Its name: `baseline`, `candidate`, the name of a change, `all`, `all but …`, `baseline again`.
    pub name: String,
    /// The knobs that are on.
    pub on: Vec<String>,
    /// What it is in the design; one arm can be several.
    pub roles: Vec<Role>,
    /// Requests answered as expected.
    pub requests: u64,
    /// Failed, or never sent.
    pub errors: u64,
    /// Answers that differed from the first of this arm.
    pub changed: u64,
    /// Answers by status, expected or not, the lowest status first.
    pub statuses: Vec<(u16, u64)>,
    /// What each URL was answered when the arm was tried; empty where other hosts sent it.
    pub answers: Vec<Answer>,
    /// Box of the plot, in ns.
    pub box_plot: Option<BoxPlot>,
    /// The empirical distribution: (latency in ns, share of requests at or below), at most some hundred points.
    pub distribution: Vec<(u64, f64)>,
    /// The same of its cold requests, if there are any.
    pub cold: Option<BoxPlot>,
}

/// One metric of one arm against the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The arm's name.
    pub arm: String,
    /// `latency.p50`, `cold.latency.mean`, `within.50ms`, `throughput`, `bytes.body`, `statuses.304`,
    /// `weight.cpu www-data php-fpm8.2`.
    pub metric: String,
    /// What it measures.
    pub kind: Metric,
    /// For weights: group, counter, and how its numbers are written.
    pub weight: Option<WeightMetric>,
    /// In the baseline (ns, share, 1/s, bytes, or the counter's unit per request).
    pub baseline: f64,
    /// In this arm.
    pub candidate: f64,
    /// The arm's own figure with its interval, whatever the baseline's is.
    pub absolute: Option<Span>,
    /// candidate / baseline; none where the baseline's weight cannot be told from nothing.
    pub ratio: Option<Span>,
    /// candidate − baseline, in the metric's unit.
    pub difference: Span,
    /// What the baseline against itself differs by, as a share (of the ratio), or, without a ratio, in the unit.
    pub floor: f64,
    /// Within which the whole interval lies where there is no measurable difference, in the unit of the floor.
    pub margin: Option<f64>,
    /// Where it is unclear, how long it would take in all to settle it.
    pub settled_after: Option<Duration>,
    /// Of weights: whether the requests go through the group, where that is known.
    pub on_path: Option<bool>,
    /// The p-value after control of false discoveries.
    pub adjusted_p: f64,
    pub verdict: Change,
}

/// The counter of a weight.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightMetric {
    pub group: String,
    /// Counter's stable name.
    pub counter: &'static str,
    /// What a table calls it.
    pub title: &'static str,
    /// Its unit in results.
    pub unit: &'static str,
    /// How its numbers are written.
    pub kind: Kind,
    /// Sampled by the kernel, not counted.
    pub approximate: bool,
}

/// What changes do together.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// The metric: `latency.p50`.
    pub metric: String,
    /// The knobs' names.
    pub knobs: Vec<String>,
    /// What it says: the product of the single gains, a knob's main effect, …
    pub kind: InteractionKind,
    /// The effect as a ratio (below 1: less).
    pub ratio: Span,
    /// What the changes alone would come to together, as a ratio, where that is what it is compared with.
    pub expected: Option<Span>,
    /// Whether it can be told from chance.
    pub told: bool,
    /// Of what is not told: its whole interval lies within the margin of equality.
    pub is_equal: bool,
}

/// What an interaction compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InteractionKind {
    /// All together, against the product of each alone; `ratio` is all together, `expected` the product.
    AllAgainstAlone,
    /// A knob's effect over all combinations of the others (factorial).
    MainEffect,
    /// How far two knobs' effects do not multiply (factorial): 1 if they do.
    Pair,
}

impl ArmResult {
    /// `116 × 200, 34 × 503`.
    pub fn statuses_text(&self) -> String {
        statuses_text(&self.statuses)
    }
}

impl Comparison {
    /// Whether its interval leaves out no change.
    pub fn excludes_no_change(&self) -> bool {
        let (span, none) = self.ratio.map_or((self.difference, 0.0), |ratio| (ratio, 1.0));
        span.low > none || span.high < none
    }
}

impl InteractionKind {
    /// As it stands in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AllAgainstAlone => "all against alone",
            Self::MainEffect => "main effect",
            Self::Pair => "pair",
        }
    }
}

impl Prove {
    /// The comparisons of one arm.
    pub(crate) fn of_arm(&self, arm: &str) -> impl Iterator<Item = &Comparison> {
        self.comparisons.iter().filter(move |comparison| comparison.arm == arm)
    }

    /// The baseline's figure of a metric, of both its arms: what all others are compared with.
    pub(crate) fn baseline_of(&self, metric: &str) -> Option<f64> {
        self.comparisons.iter().find(|comparison| comparison.metric == metric).map(|comparison| comparison.baseline)
    }

    /// Whether some arm has such a role.
    pub(crate) fn has(&self, wanted: impl Fn(Role) -> bool) -> bool {
        self.arms.iter().flat_map(|arm| &arm.roles).any(|role| wanted(*role))
    }

    /// The arm whose differences are told in full: the candidate, or all changes together.
    pub(crate) fn changed_arm(&self) -> Option<&ArmResult> {
        let with = |role| self.arms.iter().find(|arm| arm.roles.contains(&role));
        let is_changed =
            |arm: &&ArmResult| !arm.roles.iter().any(|role| matches!(role, Role::Baseline | Role::BaselineAgain));
        with(Role::Candidate)
            .or_else(|| with(Role::All))
            .or_else(|| self.arms.iter().filter(is_changed).max_by_key(|arm| arm.on.len()))
    }

    /// The first quantile compared: `latency.p50`.
    pub(crate) fn first_quantile(&self) -> Option<&str> {
        let is_quantile = |comparison: &&Comparison| comparison.metric.starts_with("latency.p");
        self.comparisons.iter().find(is_quantile).map(|comparison| comparison.metric.as_str())
    }
}
