//! The principal type is [`NewRun`]: a run that is to be kept.

use std::collections::BTreeMap;

/// A run that is to be kept. Texts are in UTF-8 without NUL; [`Store::keep`](crate::Store::keep) refuses what is larger
/// than a store takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRun {
    /// The command: `weigh`, `load` …
    pub verb: String,
    /// The URL, or the name of an experiment.
    pub target: String,
    /// When it was measured: ns since 1970 in UTC.
    pub time_ns: i64,
    /// The machine that measured.
    pub host: String,
    /// The version of Unladen that measured.
    pub version: String,
    /// How the measurement ended: `done`, `interrupted` …
    pub ended: String,
    /// The revision of the folder that was measured, where there is one: hexadecimal digits.
    pub commit: Option<String>,
    /// Whether that folder had changes that were not committed.
    pub dirty: bool,
    /// What the user calls it: `release` → `1.43`.
    pub labels: BTreeMap<String, String>,
    /// The whole result, a JSON object.
    pub document: String,
    /// The recording of the evidence behind the findings, where there is one.
    pub evidence: Option<Vec<u8>>,
}
