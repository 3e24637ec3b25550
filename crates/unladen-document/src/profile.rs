//! The principal type is [`ProfileDocument`], `unladen.profile/1`.

use serde::{Deserialize, Serialize};

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

/// A time and its 95 % interval, whose ends are null if the data do not support one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct OpenNs {
    pub value: u64,
    pub low: Option<u64>,
    pub high: Option<u64>,
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
