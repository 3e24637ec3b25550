//! The principal type is [`Ask`]: what an agent is asked.

use serde::{Deserialize, Serialize};

use crate::evidence::EvidenceAsk;
use crate::load::LoadAsk;
use crate::probes::ProbeAsk;

/// What an agent is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    /// To say what time it is there.
    Ping {
        /// Of this question; the answer has it too.
        id: u64,
    },
    /// Of the counters there.
    Probes(ProbeAsk),
    Load(LoadAsk),
    /// To end. The end of the pipe says the same.
    Bye,
    /// Of what processes there do.
    Evidence(EvidenceAsk),
}
