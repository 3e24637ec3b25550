//! The principal types are [`Machine`], the machine's speed, and disturbances during the run, and [`LoadAgent`], a host
//! that sent a load or an experiment.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The machine's state while the run was measured.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Machine {
    /// The share of the processors' time that the hypervisor took, from 0 to 1.
    pub stolen_share: Option<f64>,
    /// For how long its CPU quota held Unladen's own control group back, in ns, the times of processors summed.
    pub throttled_ns: Option<u64>,
    /// The share of the time in which some task was ready and had no processor, from 0 to 1; null where the kernel does
    /// not tell it.
    pub pressure_cpu_share: Option<f64>,
    /// The lowest and the highest frequency of the processors that was seen, in Hz; absent where the kernel does not
    /// set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_hz: Option<[u64; 2]>,
    /// Blocks that were left out because they were spoiled; null where there are no blocks.
    pub spoiled_blocks: Option<u64>,
    /// Blocks that were spoiled too and stay; a warning says why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spoiled_kept_blocks: Option<u64>,
    /// All blocks that were measured, spoiled ones too; null where there are none.
    pub blocks: Option<u64>,
    /// Cost of the reference work; empty where none ran, as for a load, and with too few blocks.
    pub reference: Vec<Reference>,
    /// The version of the pieces of reference work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_version: Option<u64>,
    /// The time of all pieces as a share of the run, from 0 to 1; null without them.
    pub reference_cost_share: Option<f64>,
}

/// One kind of reference work: a fixed piece of work repeated during the run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Reference {
    /// arithmetic, memory or syscalls.
    pub name: String,
    /// CPU time of one piece, in ns.
    pub ns: f64,
    /// Lower end of the 95 % interval, in ns.
    pub low: f64,
    /// Upper end of the 95 % interval, in ns.
    pub high: f64,
}

/// A host that sent a load or an experiment.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct LoadAgent {
    /// The name of the host.
    pub name: String,
    /// The program by which it was reached; arguments may be secrets and are left out.
    pub command: String,
    /// Requests whose outcome it reported.
    pub requests: u64,
    /// Of those, the ones that were answered as expected.
    pub answered: u64,
    /// Requests that it never sent.
    pub unsent: u64,
    /// Planned requests of unknown fate.
    pub missing: u64,
    /// Counted without a record, as the connection was too slow for it.
    pub unrecorded: u64,
    /// How late it sent: p50, p99 and max, in ns; null in a closed loop.
    pub send_lag_ns: Option<BTreeMap<String, u64>>,
    /// CPU time of its generator, in ns.
    pub cpu_ns: Option<u64>,
    /// The share of its processors' time that the hypervisor took, from 0 to 1.
    pub stolen_share: Option<f64>,
    /// How far its start may be from the agreed one, in ns.
    pub start_uncertainty_ns: u64,
    /// The least time from a question to its answer, in ns.
    pub round_trip_ns: u64,
    /// How its clock went; null where it was not compared.
    pub drift: Option<Drift>,
    /// Whether its part describes the server and not the generator.
    pub fit: bool,
    /// If not, why.
    pub unfit: Vec<String>,
    /// Of a host that was lost: when and why.
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Drift {
    /// How much further its clock went, in ns; below 0: less far.
    pub ns: i64,
    /// How far that may be off, in ns.
    pub uncertainty_ns: u64,
}

/// An agent that did not reach its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Lost {
    /// When, since the start, in ns.
    pub at_ns: u64,
    /// Why, a sentence.
    pub why: String,
}
