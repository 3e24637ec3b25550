//! The principal type is [`PathError`].

use std::path::PathBuf;

use unladen_load::LoadError;
use unladen_probe::TraceError;

/// Why a request cannot be followed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    #[error("interrupted")]
    Cancelled,
    #[error(transparent)]
    Load(LoadError),
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error("{url} is not served by this machine")]
    Remote { url: String },
    /// The mark cannot be made, or there is nothing to send.
    #[error("no request can be marked: {0}")]
    Mark(String),
    #[error("{doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
}

impl From<LoadError> for PathError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Cancelled => Self::Cancelled,
            error => Self::Load(error),
        }
    }
}
