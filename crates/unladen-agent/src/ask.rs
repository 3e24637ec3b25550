//! The principal type is [`Ask`]: questions to an agent.

use serde::{Deserialize, Serialize};

use crate::evidence::EvidenceAsk;
use crate::load::LoadAsk;
use crate::probes::ProbeAsk;

/// Questions to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    Ping {
        id: u64,
    },
    Probes(ProbeAsk),
    Load(LoadAsk),
    Bye,
    /// About the activity of processes there.
    Evidence(EvidenceAsk),
}
