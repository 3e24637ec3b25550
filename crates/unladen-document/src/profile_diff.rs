//! The principal type is [`ProfileDiffDocument`], `unladen.profile-diff/1`.

use serde::{Deserialize, Serialize};

use crate::about::About;
use crate::figure::OpenSpan;
use crate::profile::{ProfileSetup, Written};

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
