//! The principal types are [`EvidenceAsk`] and [`EvidenceAnswer`]: what is said of tracing.

use serde::{Deserialize, Serialize};
use unladen_probe::{InspectionError, TraceError};

/// Most groups that are traced on a host: above what follows any page.
pub(crate) const MAX_WANTED: usize = 256;
/// Most requests of a phase.
pub(crate) const MAX_REQUESTS: usize = 10_000;
/// Most phases of a counting.
pub(crate) const MAX_PHASES: usize = 1_000;
/// The longest evidence, in bytes of JSON: a page that touches thousands of files makes some megabytes.
pub(crate) const MAX_EVIDENCE: usize = 32 << 20;

/// What is asked of tracing. Each is answered once, in order; [`Finish`](Self::Finish) and
/// [`Describe`](Self::Describe) by all pieces of the evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvidenceAsk {
    /// To attach to groups. What was attached before is left.
    Attach {
        /// Evidence names them by their place here.
        groups: Vec<Wanted>,
    },
    /// To follow the processes that there are by now. What was traced until then belongs to no phase.
    Begin,
    /// To count what was traced since the answer before as a phase.
    Phase {
        /// Whether requests were sent in it.
        on: bool,
        /// When each was sent: ns of the monotonic clock there, as far as that is known here. Empty if none were.
        sent_ns: Vec<u64>,
        /// The time from one request to the next, ns: into such stretches a phase without requests is cut.
        request_ns: u64,
    },
    /// To tell what was counted. The next phase begins another counting.
    Finish {
        /// The settings of the PHPs among the groups too.
        php: bool,
    },
    Detach,
    /// To tell of groups that are not traced: their programs, where they live, the settings of the PHPs among them.
    Describe {
        /// Evidence names them by their place here.
        groups: Vec<Wanted>,
    },
}

/// A group that is to be traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The number of groups told before it, in readings.
    pub group: u32,
    /// Whether it is known to follow the requests; otherwise it may.
    pub follows: bool,
}

/// What is answered of tracing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EvidenceAnswer {
    Attached,
    /// What comes now is the next phase's.
    Begun,
    /// The phase is counted.
    Counted,
    /// A part of the evidence: JSON, as a recording has it.
    Piece {
        /// The next bytes.
        piece: Vec<u8>,
        last: bool,
    },
    /// Nothing is attached.
    Detached,
    /// It cannot be done.
    Failed {
        lack: FarLack,
        /// In words.
        why: String,
    },
}

/// What is lacking on a host where nothing can be traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FarLack {
    /// The agent was built without eBPF.
    Ebpf,
    /// Its user may not.
    Privilege,
    /// Something else, which the words tell.
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
