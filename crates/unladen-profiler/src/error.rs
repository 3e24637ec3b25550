//! The principal type is [`ProfilerError`].

use std::path::PathBuf;

use unladen_load::LoadError;
use unladen_path::PathError;
use unladen_probe::{ProbeError, TraceError};
use unladen_profile::ReadError;

/// Why something cannot be profiled; each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ProfilerError {
    #[error("interrupted")]
    Cancelled,
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error(transparent)]
    Probe(#[from] ProbeError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{0}")]
    NotFound(String),
    #[error("{what}: {remedy}")]
    Missing {
        what: String,
        /// The package to install, and what to do then.
        remedy: String,
    },
    /// The answer differs from the one without the profiler.
    #[error("{0}")]
    Answer(String),
    #[error("{doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
}

impl From<PathError> for ProfilerError {
    fn from(error: PathError) -> Self {
        match error {
            PathError::Cancelled => Self::Cancelled,
            PathError::Load(error) => Self::Load(error),
            PathError::Trace(error) => Self::Trace(error),
            PathError::Io { doing, path, source } => Self::Io { doing, path, source },
            error => Self::NotFound(error.to_string()),
        }
    }
}
