//! The principal type is [`LoadAgent`]: a host that sent a load or an experiment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A host that sent a load or an experiment.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct LoadAgent {
    pub name: String,
    /// Command that reaches it.
    pub command: String,
    /// Requests whose outcome it reported.
    pub requests: u64,
    /// Answered as expected.
    pub answered: u64,
    pub unsent: u64,
    /// Planned requests of unknown fate.
    pub missing: u64,
    /// Counted without a record, as the connection was too slow for it.
    pub unrecorded: u64,
    /// Its lateness: `p50`, `p99`, `max`; null in a closed loop.
    pub send_lag_ns: Option<BTreeMap<String, u64>>,
    /// Its own CPU; null if it was lost.
    pub cpu_ns: Option<u64>,
    /// Share of its machine's processors that the hypervisor took.
    pub stolen_share: Option<f64>,
    /// Maximum distance of its start from the agreed one.
    pub start_uncertainty_ns: u64,
    /// Minimum time from a question to its answer.
    pub round_trip_ns: u64,
    /// How far its clock gained on that of the document's host.
    pub drift: Option<Drift>,
    /// Whether its part describes the server and not the generator.
    pub fit: bool,
    pub unfit: Vec<String>,
    /// Set if it did not reach its end.
    pub lost: Option<Lost>,
}

/// How far two clocks drifted apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Drift {
    /// Positive if the agent's is ahead.
    pub ns: i64,
    /// To both sides.
    pub uncertainty_ns: u64,
}

/// An agent that did not reach its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Lost {
    /// Last sign of life, since the start.
    pub at_ns: u64,
    /// What happened to it, as far as known.
    pub why: String,
}
