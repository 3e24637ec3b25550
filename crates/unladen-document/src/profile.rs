//! The principal types are [`ProfileDocument`], `unladen.profile/1`, and [`ProfileDiffDocument`], `unladen.profile-diff/1`.

use serde::{Deserialize, Serialize};
use unladen_quantity::{Kind, Span};

use crate::about::About;
use crate::answer::Answer;
use crate::figure::OpenSpan;
use crate::finding::Finding;
use crate::prove::Gate;

/// Output of `unladen profile --json`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ProfileDocument {
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    pub target: String,
    /// `excimer`, `nytprof`, `perf`; empty if a file does not say.
    pub profiler: String,
    /// Unit of weights: `samples`, `nanoseconds`, `cpu-nanoseconds`, `bytes`, `count`.
    pub unit: String,
    pub period_ns: Option<u64>,
    pub requests: Option<u64>,
    pub weight: u64,
    pub setup: Option<ProfileSetup>,
    pub functions: Vec<Function>,
    pub findings: Vec<Finding>,
    pub gates: Vec<Gate>,
    pub notes: Vec<String>,
    pub written: Vec<Written>,
}

impl ProfileDocument {
    /// Its schema. The number changes if a field is removed or changes its meaning, not if one is added.
    pub const SCHEMA: &str = "unladen.profile/1";

    /// Functions that were seen to take any themselves, the heaviest first.
    pub fn by_self(&self) -> Vec<&Function> {
        let mut functions: Vec<&Function> = self.functions.iter().filter(|function| function.self_weight > 0).collect();
        functions.sort_by_key(|function| std::cmp::Reverse(function.self_weight));
        functions
    }
}

/// How a page was profiled.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ProfileSetup {
    pub url: String,
    pub group: String,
    /// Missing in documents of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    pub how: String,
    pub elapsed_ns: u64,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    pub plain_ns: OpenNs,
    pub profiled_ns: OpenNs,
    /// `profiled_ns` / `plain_ns` − 1.
    pub overhead: Option<OpenSpan>,
}

impl ProfileSetup {
    /// How much longer a request takes with the profiler, as a part of its time without, and the 95 % interval; `None`
    /// if there is nothing to compare with.
    ///
    /// The two were measured apart, so their margins add like those of independent figures.
    pub fn overhead_of(plain: OpenNs, profiled: OpenNs) -> Option<OpenSpan> {
        let relative = |of: OpenNs| of.closed().map(|of| (of.high - of.low) / 2.0 / of.value);
        let ratio = profiled.value as f64 / plain.value as f64;
        let margin = ratio * relative(plain)?.hypot(relative(profiled)?);
        let is_told = ratio.is_finite() && margin.is_finite() && ratio > 0.0;
        let (low, high) = (Some(ratio - 1.0 - margin), Some(ratio - 1.0 + margin));
        is_told.then_some(OpenSpan { value: ratio - 1.0, low, high })
    }
}

/// A time and its 95 % interval, whose ends are null if the data do not support one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct OpenNs {
    pub value: u64,
    pub low: Option<u64>,
    pub high: Option<u64>,
}

impl OpenNs {
    /// With its interval, if it has one.
    pub fn closed(self) -> Option<Span> {
        Some(Span { value: self.value as f64, low: self.low? as f64, high: self.high? as f64 })
    }
}

/// One function.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Function {
    pub name: String,
    pub file: String,
    pub line: u32,
    /// `function`, `include`, `class-lookup`, `native` or `kernel`.
    pub kind: String,
    pub self_weight: u64,
    pub total_weight: u64,
    pub self_share: OpenSpan,
    pub total_share: OpenSpan,
    pub calls: Option<u64>,
    pub calls_per_request: Option<f64>,
    pub callers: Vec<Caller>,
}

/// A caller of a function; without a name, no function called it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Caller {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    pub weight: u64,
    pub calls: Option<u64>,
}

/// A file that was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Written {
    pub file: String,
    pub reads: String,
}

/// Output of `unladen profile diff --json`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ProfileDiffDocument {
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    pub baseline: String,
    pub candidate: String,
    pub profiler: String,
    pub unit: String,
    pub period_ns: Option<u64>,
    pub requests: [Option<u64>; 2],
    pub per_request: bool,
    pub setups: Option<[ProfileSetup; 2]>,
    pub functions: Vec<FunctionChange>,
    pub notes: Vec<String>,
    pub written: Vec<Written>,
}

impl ProfileDiffDocument {
    /// Its schema. The number changes if a field is removed or changes its meaning, not if one is added.
    pub const SCHEMA: &str = "unladen.profile-diff/1";

    /// Number format of a weight, and the value of its unit: a sample stands for a time.
    pub fn scale(&self) -> (Kind, f64) {
        match (self.unit.as_str(), self.period_ns) {
            ("nanoseconds" | "cpu-nanoseconds", _) => (Kind::Time, 1.0),
            ("samples", Some(period)) => (Kind::Time, period as f64),
            ("bytes", _) => (Kind::Bytes, 1.0),
            _ => (Kind::Count, 1.0),
        }
    }
}

/// One function, before and after.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct FunctionChange {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub kind: String,
    /// Without its callees.
    #[serde(rename = "self")]
    pub own: Moved,
    /// Including its callees.
    pub total: Moved,
    /// Whether either differs from no change, with false discoveries under control.
    pub changed: bool,
    pub calls_per_request: Option<[f64; 2]>,
}

/// A weight before and after.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Moved {
    pub baseline: f64,
    pub candidate: f64,
    pub difference: OpenSpan,
    pub p: Option<f64>,
}
