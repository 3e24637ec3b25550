//! The principal types are [`EvidenceAsk`] and [`EvidenceAnswer`]: messages about tracing.

use serde::{Deserialize, Serialize};
use unladen_probe::{InspectionError, TraceError};

/// Maximum traced groups on a host: more than follow any page.
pub(crate) const MAX_WANTED: usize = 256;
pub(crate) const MAX_REQUESTS: usize = 10_000;
pub(crate) const MAX_PHASES: usize = 1_000;
/// Maximum bytes of evidence as JSON: a page that touches thousands of files makes some megabytes.
pub(crate) const MAX_EVIDENCE: usize = 32 << 20;

/// Questions about tracing. Each is answered once, in order; [`Finish`](Self::Finish) and [`Describe`](Self::Describe)
/// by all pieces of the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvidenceAsk {
    Attach {
        /// Evidence refers to their order here.
        groups: Vec<Wanted>,
    },
    Begin,
    /// Counts the traces since the last answer as a phase.
    Phase {
        on: bool,
        /// Send times in ns of the monotonic clock there, as far as it is known here. Empty if none were sent.
        sent_ns: Vec<u64>,
        /// Time between requests, ns: a phase without requests is cut into such stretches.
        request_ns: u64,
    },
    Finish {
        php: bool,
    },
    Detach,
    /// Describes groups that are not traced: their programs, where they live, the settings of the PHPs among them.
    Describe {
        /// Evidence refers to their order here.
        groups: Vec<Wanted>,
    },
}

/// A group to trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    pub group: u32,
    /// Whether it is known to follow the requests; otherwise it may.
    pub follows: bool,
}

/// Answers about tracing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvidenceAnswer {
    Attached,
    Begun,
    Counted,
    Piece { piece: Vec<u8>, last: bool },
    Detached,
    Failed { lack: FarLack, why: String },
}

/// Why nothing can be traced on a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FarLack {
    Ebpf,
    Privilege,
    Other,
}

impl From<&InspectionError> for FarLack {
    fn from(error: &InspectionError) -> Self {
        match error {
            InspectionError::Trace(TraceError::NotBuilt) => Self::Ebpf,
            InspectionError::Trace(TraceError::NotAllowed) => Self::Privilege,
            _ => Self::Other,
        }
    }
}
