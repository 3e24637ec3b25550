//! The principal type is [`SinkError`]: why a body cannot be taken.

#[derive(Debug, thiserror::Error)]
pub(crate) enum SinkError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    H2(#[from] h2::Error),
    #[error("the file became shorter while it was sent")]
    Shrunk,
    #[error("the connection was closed")]
    Gone,
}
