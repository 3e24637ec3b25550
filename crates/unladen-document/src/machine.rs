//! The principal type is [`Machine`]: the machine's speed, and disturbances during the run.

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

impl Machine {
    /// Finds reference work by its name.
    pub fn reference_named(&self, name: &str) -> Option<&Reference> {
        self.reference.iter().find(|reference| reference.name == name)
    }
}
