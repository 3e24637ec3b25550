//! The principal types are [`LoadAsk`] and [`LoadAnswer`]: what is said of a load.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use unladen_load::{ErrorKind, LoadEnd, RecordBatch};

use crate::codec::{CodecError, decode};
use crate::far_times::FarTimes;

/// Bytes of a configuration or a plan in one message: a list of URLs may be longer than a frame.
const PIECE: usize = 1 << 19;

/// What is asked of a load. Each is answered once, in order; [`Begin`](Self::Begin) by all that the load comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum LoadAsk {
    /// To start a driver. The configuration, a [`ConfigForm`](unladen_load::ConfigForm), comes in pieces.
    Start {
        /// The next piece.
        piece: Vec<u8>,
        last: bool,
    },
    /// To send a request once.
    Sample {
        /// Its index.
        request: u32,
    },
    /// To keep a plan, a [`PlanForm`](unladen_load::PlanForm), which comes in pieces.
    Plan {
        /// The next piece.
        piece: Vec<u8>,
        last: bool,
    },
    /// To send what is planned.
    Begin {
        /// From then on: ns of the monotonic clock there.
        at_ns: u64,
    },
    /// To give up the load that is under way, or whatever else is.
    Stop,
}

/// What is answered of a load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum LoadAnswer {
    /// The driver runs.
    Started,
    /// A request was answered as expected.
    Sampled {
        /// The version of HTTP.
        version: String,
        /// How long it took, from the planned time.
        latency_ns: u64,
    },
    /// The plan is kept.
    Planned,
    /// What became of some requests, their times in ns since the agreed start.
    Records(RecordBatch),
    /// What the machine did since the one before; it comes some times a second.
    Look {
        /// The end of this stretch, ns since the agreed start.
        end_ns: u64,
        times: FarTimes,
    },
    /// What requests came to whose records had no room: a [`RecordSummary`](unladen_load::RecordSummary) in pieces.
    Summary {
        /// The next piece.
        piece: Vec<u8>,
        last: bool,
    },
    /// All records have been sent, but those in the summary before.
    Ended {
        /// What was counted beside them.
        end: Box<LoadEnd>,
        /// Answers that set cookies to a request that bore none, since the driver's start.
        strangers: u64,
    },
    /// It cannot be done.
    Failed {
        /// What went wrong with a request; [`ErrorKind::Client`] where nothing was sent.
        kind: ErrorKind,
        /// In words.
        why: String,
    },
}

/// The longest configuration or plan, in bytes: a long list of URLs with their headers.
pub(super) const LONGEST: usize = 64 << 20;

/// Why pieces are no message.
#[derive(Debug, thiserror::Error)]
pub enum PiecesError {
    #[error("it takes more than {0} bytes")]
    TooLong(usize),
    #[error("it cannot be read: {0}")]
    Damaged(#[from] CodecError),
}

/// A configuration or a plan in pieces, of which the last says so.
///
/// # Errors
/// When it takes more than 64 MiB.
pub fn pieces<M: Serialize>(message: &M) -> Result<Vec<(Vec<u8>, bool)>, CodecError> {
    let bytes = postcard::to_stdvec(message)?;
    if bytes.len() > LONGEST {
        return Err(CodecError::TooLong(bytes.len()));
    }
    let count = bytes.len().div_ceil(PIECE);
    Ok(bytes.chunks(PIECE).enumerate().map(|(index, piece)| (piece.to_vec(), index + 1 == count)).collect())
}

/// The message whose pieces have all come; `before` keeps those that have, in `longest` bytes.
///
/// # Errors
/// When there are more, or they are no such message.
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
