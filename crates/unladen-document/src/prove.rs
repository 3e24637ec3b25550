//! The principal type is [`ProveDocument`], `unladen.prove/1`.

use serde::{Deserialize, Serialize};

use crate::about::About;
use crate::answer::Answer;
use crate::figure::{OpenSpan, Span};
use crate::load_agent::LoadAgent;
use crate::ordered::Ordered;

/// Output of `unladen prove --json`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ProveDocument {
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    pub title: String,
    /// `ab`, `each`, `ablate` or `factorial`.
    pub design: String,
    /// Requested URLs.
    pub target: String,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    /// Planned requests per second; null in a closed loop.
    pub rate: Option<f64>,
    /// Maximum requests under way at once.
    pub concurrency: u64,
    /// Whether cookies from answers were sent back.
    pub keep_cookies: bool,
    /// From the first phase to the last.
    pub elapsed_ns: u64,
    pub phase_ns: u64,
    /// Counted blocks.
    pub blocks: u64,
    /// Restarts of the services.
    pub restarts: u64,
    /// Unit of the intervals: `restarts` or `blocks`.
    pub resampled: String,
    /// 99th percentile of lateness; null in a closed loop.
    pub send_lag_p99_ns: Option<u64>,
    /// Sending hosts; empty if the document's own host sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<LoadAgent>,
    pub arms: Vec<Arm>,
    /// One metric of one arm against the baseline each.
    pub comparisons: Vec<Comparison>,
    /// Whether changes do something else together than alone.
    pub interactions: Vec<Interaction>,
    /// Total time needed to detect 1 % of the first quantile; null if it is detected already.
    pub time_for_one_percent_ns: Option<u64>,
    pub gates: Vec<Gate>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<ArmProfile>,
    /// How each change to the system was undone.
    pub put_back: Vec<String>,
    pub warnings: Vec<String>,
}

/// One combination of knobs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Arm {
    pub name: String,
    /// `baseline`, `candidate` and so on.
    pub roles: Vec<String>,
    /// Knobs that are on.
    pub on: Vec<String>,
    /// Answered as expected.
    pub requests: u64,
    /// All others.
    pub errors: u64,
    /// Answered differently from the first.
    pub changed: u64,
    pub statuses: Ordered<u64>,
    /// Missing in documents of earlier versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    pub box_plot_ns: Option<BoxPlot>,
    /// First requests after a restart.
    pub cold_box_plot_ns: Option<BoxPlot>,
    /// (Latency in ns, share of requests at or below).
    pub distribution: Vec<(u64, f64)>,
}

/// Five quantiles of latency in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct BoxPlot {
    pub p5: u64,
    pub p25: u64,
    pub p50: u64,
    pub p75: u64,
    pub p95: u64,
    pub requests: u64,
}

/// One metric of one arm against the baseline.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Comparison {
    pub arm: String,
    /// `latency.p50`, `within.50ms`, `weight.cpu www-data php-fpm8.2`.
    pub metric: String,
    /// For weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// For weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// `ns`, `1`, `1/s`, `B`.
    pub unit: String,
    /// For weights: sampled by the kernel, not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approximate: Option<bool>,
    pub baseline: Option<f64>,
    pub candidate: Option<f64>,
    /// 95 % interval of this arm's own figure, lower end.
    pub candidate_low: Option<f64>,
    pub candidate_high: Option<f64>,
    /// `candidate` / `baseline`; null if one of the two is indistinguishable from zero.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio, lower end.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// `candidate` − `baseline`, in the unit.
    pub difference: OpenSpan,
    /// Difference of the baseline from itself, as a share; without a ratio, in the unit.
    pub floor: Option<f64>,
    /// After control of false discoveries.
    pub adjusted_p: f64,
    /// Limit for the whole interval of `no measurable difference`, in the unit of the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// If unclear, the total time of an experiment that settles it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_settle_ns: Option<u64>,
    /// For weights: whether requests pass through the group; null if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_path: Option<bool>,
    /// `faster`, `slower`, `lighter`, `heavier`, `no measurable difference` or `unclear`; see [`Self::change`].
    pub verdict: String,
}

/// Whether changes do something else together than alone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Interaction {
    /// As in [`Comparison`].
    pub metric: String,
    /// `all against alone`, `main effect` or `pair`.
    pub kind: String,
    /// Names of the changes.
    pub knobs: Vec<String>,
    /// All together / the product of each alone.
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    /// Product of the changes alone.
    pub expected: Option<Span>,
    /// Detected, not chance.
    pub told: bool,
    /// `told`, `no measurable difference` or `unclear`.
    pub verdict: String,
}

/// A `--fail-on` condition for an arm, for a load, or for a rule of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Gate {
    /// As the user wrote it.
    pub condition: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub arm: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// For certain, or because there was nothing to compare.
    pub broken: bool,
    /// Undecided, which fails nothing.
    pub untold: bool,
    pub found: String,
}

/// The profile of an arm.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct ArmProfile {
    pub arm: String,
    pub requests: u64,
    pub file: String,
    /// Its flame graph.
    pub picture: String,
    /// Functions that differ from the baseline; null for the baseline.
    pub functions_changed: Option<u64>,
}
