//! The principal type is [`Unhealthy`]: why an endpoint is unhealthy.

use http::StatusCode;

use crate::fastcgi::AskError;
use crate::tls::TlsError;

/// Why an endpoint is unhealthy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unhealthy {
    #[error("no connection: {0}")]
    Connect(#[from] std::io::Error),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("no answer: {0}")]
    Http(#[from] hyper::Error),
    #[error("no answer: {0}")]
    FastCgi(#[from] AskError),
    #[error("cannot be asked: {0}")]
    Request(#[from] http::Error),
    #[error("it answered {0}")]
    Status(StatusCode),
    #[error("no answer within {after:?}")]
    Timeout { after: std::time::Duration },
}
