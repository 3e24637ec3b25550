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
    /// The file that is sent has become shorter.
    #[error("the file became shorter while it was sent")]
    Shrunk,
    /// Whoever it was for has gone.
    #[error("the connection was closed")]
    Gone,
}
