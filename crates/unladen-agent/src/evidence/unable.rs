//! The principal type is [`Unable`]: why nothing can be traced on a host.

use super::message::FarLack;
use crate::error::SessionError;

/// Why nothing, or nothing more, can be traced on a host.
#[derive(Debug, thiserror::Error)]
pub enum Unable {
    #[error("{why}")]
    Lacks { lack: FarLack, why: String },
    /// The host is lost, or sends something invalid: no more questions are possible.
    #[error(transparent)]
    Lost(#[from] SessionError),
}
