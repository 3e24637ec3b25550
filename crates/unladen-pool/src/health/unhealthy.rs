//! The principal type is [`Unhealthy`].

use http::StatusCode;

use crate::fastcgi::AskError;
use crate::tls::TlsError;

/// Why an endpoint is not well.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unhealthy {
    /// No connection.
    #[error("no connection: {0}")]
    Connect(#[from] std::io::Error),
    /// No TLS.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// No answer, or none that is HTTP.
    #[error("no answer: {0}")]
    Http(#[from] hyper::Error),
    /// The same, by FastCGI.
    #[error("no answer: {0}")]
    FastCgi(#[from] AskError),
    /// The question cannot be written.
    #[error("cannot be asked: {0}")]
    Request(#[from] http::Error),
    /// An answer that is no success.
    #[error("it answered {0}")]
    Status(StatusCode),
    /// Nothing in time.
    #[error("no answer within {after:?}")]
    Timeout {
        /// The time limit.
        after: std::time::Duration,
    },
}
