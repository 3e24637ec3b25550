//! The principal type is [`Answer`]: answers of an agent.

use serde::{Deserialize, Serialize};

use crate::evidence::EvidenceAnswer;
use crate::load::LoadAnswer;
use crate::probes::ProbeAnswer;

/// Answers of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    Pong {
        id: u64,
        /// ns of the monotonic clock there.
        at_ns: u64,
    },
    Probes(ProbeAnswer),
    Load(LoadAnswer),
    Refused {
        /// Id of the question, or 0 if it has none.
        id: u64,
        why: String,
    },
    Evidence(EvidenceAnswer),
}
