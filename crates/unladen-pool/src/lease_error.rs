//! The principal type is [`LeaseError`]: why there is no connection.

use std::time::Duration;

use crate::tls::TlsError;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    #[error("no endpoint can be asked")]
    NoEndpoint,
    #[error("too many requests wait for a connection")]
    TooManyPending,
    #[error("cannot connect to {address}: {source}")]
    Connect { address: String, source: std::io::Error },
    #[error("connecting took longer than {0:?}")]
    Timeout(Duration),
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The peer does not speak the HTTP/2 it negotiated.
    #[error("HTTP/2: {0}")]
    Http2(h2::Error),
    /// An upgrade was requested, but only HTTP/2 or FastCGI is spoken to the upstream.
    #[error("what is spoken to this upstream (HTTP/2 alone, or FastCGI) has no upgrades")]
    NoUpgrade,
}
