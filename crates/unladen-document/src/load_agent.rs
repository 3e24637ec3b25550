//! The principal type is [`LoadAgent`]: one of the hosts that sent a load or an experiment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One of the hosts that a load is sent from.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct LoadAgent {
    pub name: String,
    /// The command that reaches it.
    pub command: String,
    /// Requests of which it told what became.
    pub requests: u64,
    /// Of these, answered as expected.
    pub answered: u64,
    /// Never sent.
    pub unsent: u64,
    /// Planned, and nothing is known of them.
    pub missing: u64,
    /// Counted without a record: the way was too slow for it.
    pub unrecorded: u64,
    /// How late it sent: `p50`, `p99`, `max`; null in a closed loop.
    pub send_lag_ns: Option<BTreeMap<String, u64>>,
    /// Its own CPU; null where it was lost.
    pub cpu_ns: Option<u64>,
    /// The share of its machine's processors that the hypervisor took.
    pub stolen_share: Option<f64>,
    /// How far its start may be from the agreed one.
    pub start_uncertainty_ns: u64,
    /// The least time from a question to its answer.
    pub round_trip_ns: u64,
    /// How much further its clock went than that of the document's host.
    pub drift: Option<Drift>,
    /// Whether its part describes the server and not the generator.
    pub fit: bool,
    /// If not, why.
    pub unfit: Vec<String>,
    /// Set if it did not come to its end.
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

/// How far two clocks went apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Drift {
    /// Above 0 where the agent's went further.
    pub ns: i64,
    /// To both sides.
    pub uncertainty_ns: u64,
}

/// An agent that did not come to its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Lost {
    /// When the last was heard of it, since the start.
    pub at_ns: u64,
    /// What became of it, as far as that is known.
    pub why: String,
}
