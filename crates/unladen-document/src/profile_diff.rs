//! The principal type is [`ProfileDiffDocument`], `unladen.profile-diff/1`.

use serde::{Deserialize, Serialize};

use crate::about::About;
use crate::figure::OpenSpan;
use crate::profile::{ProfileSetup, Written};

/// What `unladen profile diff --json` wrote.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ProfileDiffDocument {
    /// `unladen.profile-diff/1`.
    pub schema: String,
    /// Where, when and how.
    #[serde(flatten)]
    pub about: About,
    /// Title of the first profile.
    pub baseline: String,
    /// Title of the second.
    pub candidate: String,
    /// As of a profile.
    pub profiler: String,
    /// As of a profile.
    pub unit: String,
    /// As of a profile.
    pub period_ns: Option<u64>,
    /// Of how many requests each is; null where nobody knows.
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

/// One function, before and after.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct FunctionChange {
    pub name: String,
    pub file: String,
    pub line: u32,
    /// As of a profile.
    pub kind: String,
    /// By itself.
    #[serde(rename = "self")]
    pub own: Moved,
    /// With all that it calls.
    pub total: Moved,
    /// Whether either differs from no change, with false discoveries under control.
    pub changed: bool,
    /// Before and after.
    pub calls_per_request: Option<[f64; 2]>,
}

/// A weight before and after.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Moved {
    /// Before.
    pub baseline: f64,
    /// After.
    pub candidate: f64,
    /// Candidate − baseline.
    pub difference: OpenSpan,
    /// Two-sided, for no change.
    pub p: Option<f64>,
}
