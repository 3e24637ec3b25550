//! The principal type is [`Ask`]: questions to an agent.

use serde::{Deserialize, Serialize};

use crate::evidence::EvidenceAsk;
use crate::load::LoadAsk;
use crate::probes::ProbeAsk;

/// Questions to an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Ask {
    Ping {
        /// Repeated in the answer.
        id: u64,
    },
    Probes(ProbeAsk),
    Load(LoadAsk),
    /// Ends the session, as the end of the pipe does.
    Bye,
    /// About the activity of processes there.
    Evidence(EvidenceAsk),
}
