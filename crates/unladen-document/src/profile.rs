//! The principal types are [`ProfileDocument`], `unladen.profile/1`, and [`ProfileDiffDocument`], `unladen.profile-diff/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use unladen_quantity::{Kind, Span};

use crate::about::About;
use crate::answer::Answer;
use crate::figure::OpenSpan;
use crate::finding::Finding;
use crate::prove::Gate;

/// Output of `unladen profile --json`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
#[schemars(title = "Result of unladen profile")]
pub struct ProfileDocument {
    /// The name of this schema, with its number.
    #[schemars(extend("const" = ProfileDocument::SCHEMA))]
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    /// The URL, or the title of a profile from a file.
    pub target: String,
    /// excimer, nytprof or perf; empty where a file does not say.
    pub profiler: String,
    /// The unit of a weight: samples, nanoseconds, cpu-nanoseconds, bytes, count.
    pub unit: String,
    /// The time that a sample stands for, in ns, or null.
    pub period_ns: Option<u64>,
    /// Requests in the profile; null where unknown.
    pub requests: Option<u64>,
    /// The sum of all weights, in the unit.
    pub weight: u64,
    /// How a page was profiled; null for a file.
    pub setup: Option<ProfileSetup>,
    /// By their weight with all that they call, the largest first.
    pub functions: Vec<Function>,
    /// Patterns of waste.
    pub findings: Vec<Finding>,
    /// The rules of --fail-on.
    pub gates: Vec<Gate>,
    /// Sentences: what limits the result.
    pub notes: Vec<String>,
    /// Files that were written.
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
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct ProfileSetup {
    /// The page.
    pub url: String,
    /// The group that answered.
    pub group: String,
    /// What came when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// How the profiler was brought to it.
    pub how: String,
    /// The time of the run, in ns.
    pub elapsed_ns: u64,
    /// How the run ended.
    #[schemars(extend("enum" = ["complete", "interrupted", "failed"]))]
    pub ended: String,
    /// The time of a request without the profiler, in ns.
    pub plain_ns: OpenNs,
    /// The time of a request with the profiler, in ns.
    pub profiled_ns: OpenNs,
    /// The latter / the former − 1; null where it cannot be told.
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct OpenNs {
    /// The figure, in the unit of the field that holds it.
    pub value: u64,
    /// Lower end of the interval.
    pub low: Option<u64>,
    /// Upper end of the interval.
    pub high: Option<u64>,
}

impl OpenNs {
    /// With its interval, if it has one.
    pub fn closed(self) -> Option<Span> {
        Some(Span { value: self.value as f64, low: self.low? as f64, high: self.high? as f64 })
    }
}

/// One function.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Function {
    /// The function's name.
    pub name: String,
    /// The file that declares it; empty where there is none.
    pub file: String,
    /// The line of that file, from 1; 0 where it is not known.
    pub line: u32,
    /// function, include, class-lookup, native or kernel.
    pub kind: String,
    /// Its weight by itself, of all requests, in the document's unit.
    pub self_weight: u64,
    /// Its weight with all that it calls, of all requests, in the document's unit.
    pub total_weight: u64,
    /// The former as a share of the whole, from 0 to 1.
    pub self_share: OpenSpan,
    /// The latter as a share of the whole, from 0 to 1.
    pub total_share: OpenSpan,
    /// How often it was called in all; null where calls were not counted.
    pub calls: Option<u64>,
    /// How often it was called a request; null where calls were not counted.
    pub calls_per_request: Option<f64>,
    /// Who calls it.
    pub callers: Vec<Caller>,
}

/// A caller of a function; without a name, no function called it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Caller {
    /// The caller's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The file that declares it; empty where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of that file, from 1; 0 where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// function, include, class-lookup, native or kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The function's weight on behalf of this caller, with all that it calls, in the document's unit.
    pub weight: u64,
    /// How often; null where calls were not counted.
    pub calls: Option<u64>,
}

/// A file that was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Written {
    /// The file.
    pub file: String,
    /// Programs that read it.
    pub reads: String,
}

/// Output of `unladen profile diff --json`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
#[schemars(title = "Result of unladen profile diff")]
pub struct ProfileDiffDocument {
    /// The name of this schema, with its number.
    #[schemars(extend("const" = ProfileDiffDocument::SCHEMA))]
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    /// The title of the profile before.
    pub baseline: String,
    /// The title of the profile after.
    pub candidate: String,
    /// excimer, nytprof or perf; empty where a file does not say.
    pub profiler: String,
    /// The unit of a weight: samples, nanoseconds, cpu-nanoseconds, bytes, count.
    pub unit: String,
    /// The time that a sample stands for, in ns, or null.
    pub period_ns: Option<u64>,
    /// Requests of the two profiles; null where unknown.
    pub requests: [Option<u64>; 2],
    /// Whether weights are per request; else they are parts of the whole.
    pub per_request: bool,
    /// How the two pages were profiled; null for files.
    pub setups: Option<[ProfileSetup; 2]>,
    /// The largest change first.
    pub functions: Vec<FunctionChange>,
    /// Sentences: what limits the result.
    pub notes: Vec<String>,
    /// Files that were written.
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
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct FunctionChange {
    /// The function's name.
    pub name: String,
    /// The file that declares it; empty where there is none.
    pub file: String,
    /// The line of that file, from 1; 0 where it is not known.
    pub line: u32,
    /// function, include, class-lookup, native or kernel.
    pub kind: String,
    /// Its weight by itself.
    #[serde(rename = "self")]
    pub own: Moved,
    /// Including its callees.
    pub total: Moved,
    /// Whether either differs from no change, with false discoveries under control over all functions.
    pub changed: bool,
    /// Calls a request before and after; null where calls were not counted.
    pub calls_per_request: Option<[f64; 2]>,
}

/// A weight before and after.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Moved {
    /// Before: in the unit a request, or a part of the whole.
    pub baseline: f64,
    /// After: likewise.
    pub candidate: f64,
    /// candidate − baseline.
    pub difference: OpenSpan,
    /// Two-sided, for no change.
    #[schemars(required)]
    pub p: Option<f64>,
}
