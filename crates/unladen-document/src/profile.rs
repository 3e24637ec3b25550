//! The principal type is [`ProfileDocument`], `unladen.profile/1`.

use serde::{Deserialize, Serialize};

use crate::about::About;
use crate::answer::Answer;
use crate::figure::OpenSpan;
use crate::finding::Finding;
use crate::prove::Gate;

/// What `unladen profile --json` wrote.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ProfileDocument {
    /// `unladen.profile/1`.
    pub schema: String,
    /// Where, when and how.
    #[serde(flatten)]
    pub about: About,
    /// The URL, or the title of a profile from a file.
    pub target: String,
    /// `excimer`, `nytprof`, `perf`; empty where a file does not say.
    pub profiler: String,
    /// What a weight counts: `samples`, `nanoseconds`, `cpu-nanoseconds`, `bytes`, `count`.
    pub unit: String,
    /// The time that a sample stands for.
    pub period_ns: Option<u64>,
    /// Requests in the profile, where known.
    pub requests: Option<u64>,
    /// The sum of all weights.
    pub weight: u64,
    /// How a page was profiled; null for a file.
    pub setup: Option<ProfileSetup>,
    /// By their weight with all that they call, the largest first.
    pub functions: Vec<Function>,
    /// Patterns of waste.
    pub findings: Vec<Finding>,
    /// Rules of `--fail-on`.
    pub gates: Vec<Gate>,
    /// Sentences: what limits the result.
    pub notes: Vec<String>,
    /// Files that were written.
    pub written: Vec<Written>,
}

/// How a page was profiled.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ProfileSetup {
    /// The page.
    pub url: String,
    /// The group that answered.
    pub group: String,
    /// What came when it was asked for; documents of earlier versions lack it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// A sentence.
    pub how: String,
    /// Of the measurement.
    pub elapsed_ns: u64,
    /// `complete`, `interrupted` or `failed`.
    pub ended: String,
    /// The time of a request without the profiler.
    pub plain_ns: OpenNs,
    /// The time of a request with it.
    pub profiled_ns: OpenNs,
    /// The latter / the former − 1.
    pub overhead: Option<OpenSpan>,
}

/// A time and its 95 % interval, whose ends are null where the data carry none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct OpenNs {
    /// In ns.
    pub value: u64,
    /// Lower end.
    pub low: Option<u64>,
    /// Upper end.
    pub high: Option<u64>,
}

/// One function.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Function {
    pub name: String,
    /// Its file; empty where it is not known.
    pub file: String,
    /// Its line, from 1; 0 where it is not known.
    pub line: u32,
    /// `function`, `include`, `class-lookup`, `native` or `kernel`.
    pub kind: String,
    /// By itself, in the unit, of all requests.
    pub self_weight: u64,
    /// With all that it calls.
    pub total_weight: u64,
    /// By itself, as a share of all.
    pub self_share: OpenSpan,
    /// With all that it calls, as a share of all.
    pub total_share: OpenSpan,
    /// In all, where they were counted.
    pub calls: Option<u64>,
    /// Where they were counted.
    pub calls_per_request: Option<f64>,
    /// On whose behalf.
    pub callers: Vec<Caller>,
}

/// A caller of a function; without a name, no function called it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Caller {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// As of a function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The function's weight on behalf of this caller.
    pub weight: u64,
    /// Where they were counted.
    pub calls: Option<u64>,
}

/// A file that was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Written {
    pub file: String,
    /// The programs that read it.
    pub reads: String,
}
