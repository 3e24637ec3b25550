//! The principal type is [`Profiler`].

use std::path::PathBuf;
use std::time::Duration;

use unladen_load::{Cancel, LoadError, Sample};
use unladen_path::PathError;
use unladen_probe::{ProbeError, TraceError};
use unladen_profile::{Profile, ReadError};

/// Sends one request again and again, and reports the stacks meanwhile.
pub trait Profiler {
    /// As in a profile's `about`: `excimer`.
    fn name(&self) -> &'static str;

    /// Sends the request without the profiler, whose cost is the difference. Fails if the answer is unexpected; with
    /// [`ProfilerError::Cancelled`] when cancelled.
    fn plain(&mut self, cancel: &Cancel) -> Result<Answered, ProfilerError>;

    /// Sends the request under the profiler, and adds a cluster to the profile, now or in [`finish`](Self::finish).
    /// Fails if the answer is unexpected, or the profiler has not written its samples; with
    /// [`ProfilerError::Cancelled`] when cancelled.
    fn profile(&mut self, into: &mut Profile, cancel: &Cancel) -> Result<Answered, ProfilerError>;

    /// Ends it, and adds what is only available then. Fails if that is unreadable.
    fn finish(&mut self, into: &mut Profile) -> Result<(), ProfilerError>;

    /// Notes beside the profile: what it cannot show, and what to do about it.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The measures of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// From the request to the end of the answer.
    pub took: Duration,
    pub status: u16,
    pub bytes: u64,
}

impl Answered {
    /// As a client of HTTP saw it.
    pub(crate) fn of(sample: &Sample) -> Self {
        let exchange = &sample.exchange;
        Self {
            took: exchange.done.saturating_duration_since(exchange.sent),
            status: exchange.status,
            bytes: exchange.body_bytes,
        }
    }
}

/// Why something cannot be profiled; each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ProfilerError {
    #[error("interrupted")]
    Cancelled,
    #[error(transparent)]
    Load(LoadError),
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

impl From<LoadError> for ProfilerError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Cancelled => Self::Cancelled,
            error => Self::Load(error),
        }
    }
}

impl From<PathError> for ProfilerError {
    fn from(error: PathError) -> Self {
        match error {
            PathError::Cancelled => Self::Cancelled,
            PathError::Load(error) => error.into(),
            PathError::Trace(error) => Self::Trace(error),
            PathError::Io { doing, path, source } => Self::Io { doing, path, source },
            error => Self::NotFound(error.to_string()),
        }
    }
}
