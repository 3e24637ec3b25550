//! The principal type is [`SinkError`]: why a body cannot be taken.

/// Why a body cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SinkError {
    /// The connection was reset, or the like.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The stream was reset, or the connection failed.
    #[error("{0}")]
    H2(#[from] h2::Error),
    /// Whoever it was for has gone.
    #[error("the connection was closed")]
    Gone,
}
