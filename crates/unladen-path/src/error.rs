//! The principal type is [`PathError`].

use std::path::PathBuf;

use unladen_load::LoadError;
use unladen_probe::TraceError;

/// Why a request cannot be followed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// Ctrl-C.
    #[error("interrupted")]
    Cancelled,
    /// The request failed.
    #[error(transparent)]
    Load(LoadError),
    /// The kernel lets nobody look.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// It is not served here.
    #[error("{url} is not served by this machine")]
    Remote {
        /// The request's URL.
        url: String,
    },
    /// The mark cannot be made, or there is nothing to send.
    #[error("no request can be marked: {0}")]
    Mark(String),
    /// A file or a process.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// `cannot read`
        doing: &'static str,
        /// What.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl From<LoadError> for PathError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Cancelled => Self::Cancelled,
            error => Self::Load(error),
        }
    }
}
