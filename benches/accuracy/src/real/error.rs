//! The principal type is [`RealError`].

/// Why a run gave no result.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RealError(String);

impl RealError {
    /// A file or process, or an answer that is not as agreed.
    pub(crate) fn of<E: std::fmt::Display>(what: impl std::fmt::Display) -> impl FnOnce(E) -> Self {
        move |source| Self(format!("{what}: {source}"))
    }

    /// A program of ours failed.
    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}
