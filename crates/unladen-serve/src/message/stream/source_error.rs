//! The principal type is [`SourceError`]: why a body broke off.

use unladen_http1::Fault;

use crate::message::spool::SpoolError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("the connection ended before the body")]
    Closed,
    #[error("{0}")]
    Malformed(#[from] Fault),
    #[error("{0}")]
    FastCgi(#[from] unladen_fastcgi::Fault),
    #[error("{0}")]
    H2(#[from] h2::Error),
    #[error("the file became shorter while it was sent")]
    Shrunk,
    #[error("{0}")]
    Spool(#[from] SpoolError),
}
