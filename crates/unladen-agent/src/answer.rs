//! The principal type is [`Answer`]: what an agent answers.

use serde::{Deserialize, Serialize};

use crate::evidence::EvidenceAnswer;
use crate::load::LoadAnswer;
use crate::probes::ProbeAnswer;

/// What an agent answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// What time it is there.
    Pong {
        /// Of the question.
        id: u64,
        /// ns of the monotonic clock there.
        at_ns: u64,
    },
    /// Of the counters there.
    Probes(ProbeAnswer),
    Load(LoadAnswer),
    /// That something cannot be done.
    Refused {
        /// Of the question, where it has one; else 0.
        id: u64,
        /// What, why, and what helps.
        why: String,
    },
    /// Of what processes there do.
    Evidence(EvidenceAnswer),
}
