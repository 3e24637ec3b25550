//! The principal type is [`InspectionError`].

use crate::error::ProbeError;
use crate::trace::TraceError;

/// Why groups cannot be inspected.
#[derive(Debug, thiserror::Error)]
pub enum InspectionError {
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error(transparent)]
    Probe(#[from] ProbeError),
}
