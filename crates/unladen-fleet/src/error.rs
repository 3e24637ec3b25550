//! The principal type is [`BusError`]: errors of a bus.

/// Error of a bus. It never contains a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BusError {
    #[error("{0}")]
    Url(String),
    #[error("it is not reached: {0}")]
    Unreachable(String),
    #[error("it refuses: {0}")]
    Refused(String),
    #[error("its answer is not understood: {0}")]
    Answer(String),
    #[error("it did not answer in time")]
    Timeout,
}

impl BusError {
    /// Name of the error.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Url(_) => "url",
            Self::Unreachable(_) => "unreachable",
            Self::Refused(_) => "refused",
            Self::Answer(_) => "answer",
            Self::Timeout => "timeout",
        }
    }
}
