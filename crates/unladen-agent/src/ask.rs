//! The principal types are [`Ask`] and [`Answer`]: questions to an agent, and its answers.

use serde::{Deserialize, Serialize};

use crate::evidence::{EvidenceAnswer, EvidenceAsk};
use crate::load::{LoadAnswer, LoadAsk};
use crate::probes::{ProbeAnswer, ProbeAsk};

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
