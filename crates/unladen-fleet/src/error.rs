//! The principal type is [`BusError`]: why a bus could not do what it was asked for.

/// Why a bus could not do what it was asked for. It never has a secret in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BusError {
    #[error("{0}")]
    Url(String),
    #[error("it is not reached: {0}")]
    Unreachable(String),
    #[error("it refuses: {0}")]
    Refused(String),
    /// What it says is not what it should be.
    #[error("its answer is not understood: {0}")]
    Answer(String),
    #[error("it did not answer in time")]
    Timeout,
}

impl BusError {
    /// The word for it.
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
