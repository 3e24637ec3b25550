//! The principal types are [`Machine`], the machine's speed, and disturbances during the run, and [`LoadAgent`], a host
//! that sent a load or an experiment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The machine's state while the run was measured.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Machine {
    pub stolen_share: Option<f64>,
    pub throttled_ns: Option<u64>,
    pub pressure_cpu_share: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_hz: Option<[u64; 2]>,
    pub spoiled_blocks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spoiled_kept_blocks: Option<u64>,
    pub blocks: Option<u64>,
    pub reference: Vec<Reference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_version: Option<u64>,
    pub reference_cost_share: Option<f64>,
}

/// One kind of reference work: a fixed piece of work repeated during the run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Reference {
    /// `arithmetic`, `memory` or `syscalls`.
    pub name: String,
    pub ns: f64,
    pub low: f64,
    pub high: f64,
}

/// A host that sent a load or an experiment.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct LoadAgent {
    pub name: String,
    pub command: String,
    /// Requests whose outcome it reported.
    pub requests: u64,
    pub answered: u64,
    pub unsent: u64,
    /// Planned requests of unknown fate.
    pub missing: u64,
    /// Counted without a record, as the connection was too slow for it.
    pub unrecorded: u64,
    pub send_lag_ns: Option<BTreeMap<String, u64>>,
    pub cpu_ns: Option<u64>,
    pub stolen_share: Option<f64>,
    /// Maximum distance of its start from the agreed one.
    pub start_uncertainty_ns: u64,
    /// Minimum time from a question to its answer.
    pub round_trip_ns: u64,
    /// How far its clock gained on that of the document's host.
    pub drift: Option<Drift>,
    pub fit: bool,
    pub unfit: Vec<String>,
    pub lost: Option<Lost>,
}

impl LoadAgent {
    /// Whether records of these were lost, and nothing else is wrong with what they sent.
    pub fn lack_records_alone(agents: &[Self]) -> bool {
        let is_so =
            |agent: &Self| agent.lost.is_none() && (agent.fit || agent.unrecorded > 0 && agent.unfit.len() == 1);
        agents.iter().any(|agent| agent.unrecorded > 0) && agents.iter().all(is_so)
    }
}

/// The lags of a sender in ns, by their names in documents.
pub fn send_lag(p50: u64, p99: u64, max: u64) -> BTreeMap<String, u64> {
    [("p50", p50), ("p99", p99), ("max", max)].map(|(name, ns)| (name.to_owned(), ns)).into()
}

/// How far two clocks went apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Drift {
    pub ns: i64,
    pub uncertainty_ns: u64,
}

/// An agent that did not reach its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Lost {
    pub at_ns: u64,
    pub why: String,
}
