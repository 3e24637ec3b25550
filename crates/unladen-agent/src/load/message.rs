//! The principal types are [`LoadAsk`] and [`LoadAnswer`]: messages about a load.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use unladen_load::{ErrorKind, LoadEnd, RecordBatch};

use crate::far_times::FarTimes;
use crate::frame::{CodecError, decode, in_pieces};

/// Questions about a load. Each is answered once, in order; [`Begin`](Self::Begin) by all answers of the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum LoadAsk {
    /// Starts a driver. The configuration, a [`ConfigForm`](unladen_load::ConfigForm), comes in pieces.
    Start {
        piece: Vec<u8>,
        last: bool,
    },
    Sample {
        request: u32,
    },
    /// Stores a plan, a [`PlanForm`](unladen_load::PlanForm), which comes in pieces.
    Plan {
        piece: Vec<u8>,
        last: bool,
    },
    Begin {
        /// Start: ns of the monotonic clock there.
        at_ns: u64,
    },
    Stop,
}

/// Answers about a load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum LoadAnswer {
    Started,
    Sampled {
        version: String,
        latency_ns: u64,
    },
    Planned,
    /// Records of requests, with times in ns since the agreed start.
    Records(RecordBatch),
    /// The machine's times since the previous one; sent several times a second.
    Look {
        /// End of this stretch, ns since the agreed start.
        end_ns: u64,
        times: FarTimes,
    },
    /// Results of requests whose records had no room: a [`RecordSummary`](unladen_load::RecordSummary) in pieces.
    Summary {
        piece: Vec<u8>,
        last: bool,
    },
    /// All records have been sent, except those in the summary before.
    Ended {
        end: Box<LoadEnd>,
        /// Answers that set cookies to a request without any, since the driver's start.
        strangers: u64,
    },
    Failed {
        /// Error of a request; [`ErrorKind::Client`] if nothing was sent.
        kind: ErrorKind,
        why: String,
    },
}

/// Maximum bytes of a configuration or plan: a long list of URLs with their headers.
pub(super) const LONGEST: usize = 64 << 20;

/// Why pieces form no message.
#[derive(Debug, thiserror::Error)]
pub enum PiecesError {
    #[error("it has more than {0} bytes")]
    TooLong(usize),
    #[error("it cannot be read: {0}")]
    Damaged(#[from] CodecError),
}

/// Splits a configuration or plan into pieces; the flag marks the last. Fails when it takes more than 64 MiB.
pub fn pieces<M: Serialize>(message: &M) -> Result<Vec<(Vec<u8>, bool)>, CodecError> {
    let bytes = postcard::to_stdvec(message)?;
    if bytes.len() > LONGEST {
        return Err(CodecError::TooLong(bytes.len()));
    }
    Ok(in_pieces(&bytes).collect())
}

/// The message, once all pieces have come; `before` keeps earlier ones, in at most `longest` bytes. Fails when there
/// are more, or they form no such message.
pub fn gathered<T: DeserializeOwned>(
    before: &mut Vec<u8>,
    piece: &[u8],
    last: bool,
    longest: usize,
) -> Result<Option<T>, PiecesError> {
    if before.len() + piece.len() > longest {
        *before = Vec::new();
        return Err(PiecesError::TooLong(longest));
    }
    before.extend_from_slice(piece);
    if !last {
        return Ok(None);
    }
    Ok(Some(decode(&std::mem::take(before))?))
}
