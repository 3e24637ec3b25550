//! The principal type is [`NewRun`]: a run to keep.

use std::collections::BTreeMap;

/// A run to keep. Texts are UTF-8 without NUL; [`Store::keep`](crate::Store::keep) refuses what exceeds a store's
/// limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRun {
    /// The command: `weigh`, `load` …
    pub verb: String,
    /// The URL, or the name of an experiment.
    pub target: String,
    /// Time of the measurement: ns since 1970 in UTC.
    pub time_ns: i64,
    pub host: String,
    pub version: String,
    /// How the measurement ended: `done`, `interrupted` …
    pub ended: String,
    /// Revision of the measured folder, if any, in hexadecimal digits.
    pub commit: Option<String>,
    pub dirty: bool,
    /// The user's labels: `release` → `1.43`.
    pub labels: BTreeMap<String, String>,
    /// The whole result, a JSON object.
    pub document: String,
    /// Recording of the evidence behind the findings.
    pub evidence: Option<Vec<u8>>,
}
