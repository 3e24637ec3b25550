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
    pub target: String,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    pub rate: Option<f64>,
    pub concurrency: u64,
    pub keep_cookies: bool,
    pub elapsed_ns: u64,
    pub phase_ns: u64,
    pub blocks: u64,
    pub restarts: u64,
    /// Unit of the intervals: `restarts` or `blocks`.
    pub resampled: String,
    pub send_lag_p99_ns: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<LoadAgent>,
    pub arms: Vec<Arm>,
    pub comparisons: Vec<Comparison>,
    pub interactions: Vec<Interaction>,
    pub time_for_one_percent_ns: Option<u64>,
    pub gates: Vec<Gate>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<ArmProfile>,
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
    pub on: Vec<String>,
    pub requests: u64,
    pub errors: u64,
    pub changed: u64,
    pub statuses: Ordered<u64>,
    /// Missing in documents of earlier versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    pub box_plot_ns: Option<BoxPlot>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// What tables call the counter of a weight; documents of version 0.1 may lack it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// `ns`, `1`, `1/s`, `B`.
    pub unit: String,
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
    /// `candidate` / `baseline`; null if one of the two is indistinguishable from zero.
    pub ratio: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub difference: OpenSpan,
    pub floor: Option<f64>,
    pub adjusted_p: f64,
    /// Limit for the whole interval of `no measurable difference`, in the unit of the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_settle_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_path: Option<bool>,
    /// `faster`, `slower`, `lighter`, `heavier`, `no measurable difference` or `unclear`; see [`Self::change`].
    pub verdict: String,
}

/// Whether changes do something else together than alone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Interaction {
    pub metric: String,
    /// `all against alone`, `main effect` or `pair`.
    pub kind: String,
    pub knobs: Vec<String>,
    /// All together / the product of each alone.
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    pub expected: Option<Span>,
    pub told: bool,
    /// `told`, `no measurable difference` or `unclear`.
    pub verdict: String,
}

/// A `--fail-on` condition for an arm, for a load, or for a rule of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Gate {
    pub condition: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub arm: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// For certain, or because there was nothing to compare.
    pub broken: bool,
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
    pub picture: String,
    pub functions_changed: Option<u64>,
}
