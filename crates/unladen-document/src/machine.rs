//! The principal type is [`Machine`]: the machine's speed, and disturbances during the run.

use serde::{Deserialize, Serialize};

/// The machine's state while the run was measured.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Machine {
    /// Share of processor time that the hypervisor gave to others, 0 to 1.
    pub stolen_share: Option<f64>,
    /// How long its CPU quota throttled Unladen's own control group.
    pub throttled_ns: Option<u64>,
    /// Share of time in which something waited for a processor (PSI, `some`), 0 to 1.
    pub pressure_cpu_share: Option<f64>,
    /// Lowest and highest frequency of the processors seen; null if the kernel does not set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_hz: Option<[u64; 2]>,
    /// Blocks left out because the machine was taken away.
    pub spoiled_blocks: Option<u64>,
    /// Blocks spoiled too, but kept; a warning says why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spoiled_kept_blocks: Option<u64>,
    /// All blocks, spoiled ones included.
    pub blocks: Option<u64>,
    /// Cost of the reference work; empty if there was none.
    pub reference: Vec<Reference>,
    /// Version of the reference work's pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_version: Option<u64>,
    /// Share of the run that reference work took, 0 to 1.
    pub reference_cost_share: Option<f64>,
}

/// One kind of reference work: a fixed piece of work repeated during the run.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Reference {
    /// `arithmetic`, `memory` or `syscalls`.
    pub name: String,
    /// CPU time of one piece.
    pub ns: f64,
    pub low: f64,
    pub high: f64,
}

impl Machine {
    /// Finds reference work by its name.
    pub fn reference_named(&self, name: &str) -> Option<&Reference> {
        self.reference.iter().find(|reference| reference.name == name)
    }
}
