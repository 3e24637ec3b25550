//! The principal type is [`ProveDocument`], `unladen.prove/1`.

use serde::{Deserialize, Serialize};

use crate::about::About;
use crate::answer::Answer;
use crate::figure::{OpenSpan, Span};
use crate::load_agent::LoadAgent;
use crate::ordered::Ordered;

/// What `unladen prove --json` wrote.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ProveDocument {
    /// `unladen.prove/1`.
    pub schema: String,
    /// Where, when and how.
    #[serde(flatten)]
    pub about: About,
    /// The experiment's name.
    pub title: String,
    /// `ab`, `each`, `ablate` or `factorial`.
    pub design: String,
    /// The requested URLs.
    pub target: String,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    /// Requests a second as planned; null in a closed loop.
    pub rate: Option<f64>,
    /// The most requests under way at once.
    pub concurrency: u64,
    /// Whether cookies that answers set were sent back.
    pub keep_cookies: bool,
    /// From the first phase to the last.
    pub elapsed_ns: u64,
    /// Length of a phase.
    pub phase_ns: u64,
    /// Blocks that count.
    pub blocks: u64,
    /// Restarts of the services.
    pub restarts: u64,
    /// The unit of the intervals: `restarts` or `blocks`.
    pub resampled: String,
    /// 99 % of the requests were sent at most this late; null in a closed loop.
    pub send_lag_p99_ns: Option<u64>,
    /// The hosts that sent; empty where the one of the document did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<LoadAgent>,
    /// What was measured side by side.
    pub arms: Vec<Arm>,
    /// One metric of one arm against the baseline each.
    pub comparisons: Vec<Comparison>,
    /// Whether changes work together otherwise than alone.
    pub interactions: Vec<Interaction>,
    /// How long it would take in all to detect 1 % of the first quantile; null where it is detected.
    pub time_for_one_percent_ns: Option<u64>,
    /// Conditions of `--fail-on`.
    pub gates: Vec<Gate>,
    /// Profiles of arms.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<ArmProfile>,
    /// How each change to the system was put back.
    pub put_back: Vec<String>,
    /// Sentences.
    pub warnings: Vec<String>,
}

/// One combination of knobs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Arm {
    pub name: String,
    /// `baseline`, `candidate` and so on.
    pub roles: Vec<String>,
    /// Changes in force.
    pub on: Vec<String>,
    /// Answered as expected.
    pub requests: u64,
    /// The others.
    pub errors: u64,
    /// Answered differently from the first.
    pub changed: u64,
    /// Answers by status.
    pub statuses: Ordered<u64>,
    /// What came when it was tried; documents of earlier versions lack it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// Of latency.
    pub box_plot_ns: Option<BoxPlot>,
    /// Of the latency of first requests after a restart.
    pub cold_box_plot_ns: Option<BoxPlot>,
    /// Pairs of a latency in ns and the share of requests at or below.
    pub distribution: Vec<(u64, f64)>,
}

/// Five quantiles of latency in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct BoxPlot {
    /// The 5 % quantile.
    pub p5: u64,
    /// The lower quartile.
    pub p25: u64,
    /// The median.
    pub p50: u64,
    /// The upper quartile.
    pub p75: u64,
    /// The 95 % quantile.
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
    /// Of weights: whose counter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Of weights: which counter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// What tables call the counter of a weight; documents of version 0.1 may lack it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// `ns`, `1`, `1/s`, `B`.
    pub unit: String,
    /// Of weights: sampled by the kernel, not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approximate: Option<bool>,
    /// The metric in the baseline.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub baseline: Option<f64>,
    /// The metric in this arm.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub candidate: Option<f64>,
    /// Lower end of the 95 % interval of this arm's own figure.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub candidate_low: Option<f64>,
    /// Upper end of it.
    #[serde(serialize_with = "crate::figure::optional_number")]
    pub candidate_high: Option<f64>,
    /// Candidate / baseline; null where one of the two cannot be told from zero.
    pub ratio: Option<f64>,
    /// Lower end of the ratio's 95 % interval.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Candidate − baseline, in the unit.
    pub difference: OpenSpan,
    /// The difference of the baseline from itself, as a share; without a ratio, in the unit.
    pub floor: Option<f64>,
    /// After control of false discoveries.
    pub adjusted_p: f64,
    /// The margin within which the whole interval has to lie for `no measurable difference`, as the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Where it is unclear, how long the experiment would have to take in all to settle it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_settle_ns: Option<u64>,
    /// Of weights: whether the requests go through the group; null where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_path: Option<bool>,
    /// `faster`, `slower`, `lighter`, `heavier`, `no measurable difference` or `unclear`; see [`Self::change`].
    pub verdict: String,
}

/// Whether changes work together otherwise than alone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Interaction {
    /// As of a comparison.
    pub metric: String,
    /// `all against alone`, `main effect` or `pair`.
    pub kind: String,
    /// The changes.
    pub knobs: Vec<String>,
    /// All together / the product of each alone.
    pub ratio: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
    /// The product of the changes alone.
    pub expected: Option<Span>,
    /// Detected, not chance.
    pub told: bool,
    /// `told`, `no measurable difference` or `unclear`.
    pub verdict: String,
}

/// A condition of `--fail-on`: of one arm, of a load, or a rule of one page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Gate {
    /// As the user wrote it.
    pub condition: String,
    /// Of which arm.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub arm: String,
    /// Of which page.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// For certain, or because nothing could be held against it.
    pub broken: bool,
    /// Undecided; it fails nothing.
    pub untold: bool,
    pub found: String,
}

/// The profile of an arm.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct ArmProfile {
    pub arm: String,
    /// Requests in the profile.
    pub requests: u64,
    /// The profile.
    pub file: String,
    /// Its flame graph.
    pub picture: String,
    /// Functions that changed against the baseline; null for the baseline.
    pub functions_changed: Option<u64>,
}
