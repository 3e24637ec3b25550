//! The principal type is [`ProfilerError`].

use std::path::PathBuf;

use unladen_load::LoadError;
use unladen_path::PathError;
use unladen_probe::{ProbeError, TraceError};
use unladen_profile::ReadError;

/// Why something cannot be profiled. Each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ProfilerError {
    /// Ctrl-C.
    #[error("interrupted")]
    Cancelled,
    /// The request failed.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// What the web server hands on cannot be seen.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The processes could not be found.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The profiler's own file is wrong.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// No FastCGI went to an application.
    #[error("{0}")]
    NotFound(String),
    /// The profiler is not there.
    #[error("{what}: {remedy}")]
    Missing {
        /// What is missing, and where.
        what: String,
        /// Which package to install, and what to do then.
        remedy: String,
    },
    /// The application answered otherwise than it does without the profiler.
    #[error("{0}")]
    Answer(String),
    /// A file or a process.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// `cannot write`
        doing: &'static str,
        /// What.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
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
