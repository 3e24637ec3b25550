//! The principal type is [`InspectionError`].

use crate::error::ProbeError;
use crate::trace::TraceError;

/// Why groups cannot be looked into.
#[derive(Debug, thiserror::Error)]
pub enum InspectionError {
    /// Tracing is not possible here.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The processes could not be found.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}
