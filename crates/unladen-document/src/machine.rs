//! The principal type is [`Machine`]: how fast and how undisturbed the machine was during the run.

use serde::{Deserialize, Serialize};

/// What the machine did while the run was measured.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Machine {
    /// The share of processor time that the hypervisor gave to others, 0 to 1.
    pub stolen_share: Option<f64>,
    /// For how long its CPU quota kept Unladen's own control group from running, in ns.
    pub throttled_ns: Option<u64>,
    /// The share of time in which something waited for a processor (PSI, `some`), 0 to 1.
    pub pressure_cpu_share: Option<f64>,
    /// The lowest and the highest frequency of the processors that was seen, in Hz; null where the kernel does not set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_hz: Option<[u64; 2]>,
    /// Blocks that were left out because the machine was taken away.
    pub spoiled_blocks: Option<u64>,
    /// Blocks that were spoiled too, and were not left out; a warning says why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spoiled_kept_blocks: Option<u64>,
    /// All blocks, spoiled ones too.
    pub blocks: Option<u64>,
    /// Cost of the reference work; empty where none ran.
    pub reference: Vec<Reference>,
    /// The version of the reference work's pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_version: Option<u64>,
    /// The share of the run that reference work took, 0 to 1.
    pub reference_cost_share: Option<f64>,
}

/// One kind of reference work: a fixed piece of work that was repeated during the run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Reference {
    /// `arithmetic`, `memory` or `syscalls`.
    pub name: String,
    /// CPU time of one piece, in ns.
    pub ns: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Machine {
    /// The reference work of this name.
    pub fn reference_named(&self, name: &str) -> Option<&Reference> {
        self.reference.iter().find(|reference| reference.name == name)
    }
}
