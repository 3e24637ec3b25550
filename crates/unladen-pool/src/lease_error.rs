//! The principal type is [`LeaseError`].

use std::time::Duration;

use crate::tls::TlsError;

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// No endpoint is healthy, or the name has no address.
    #[error("no endpoint can be asked")]
    NoEndpoint,
    /// As many requests wait for a connection as may.
    #[error("too many requests wait for a connection")]
    TooManyPending,
    #[error("cannot connect to {address}: {source}")]
    Connect { address: String, source: std::io::Error },
    #[error("connecting took longer than {0:?}")]
    Timeout(Duration),
    /// The certificate could not be verified, or the handshake failed.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The peer does not speak HTTP/2 as it said.
    #[error("HTTP/2: {0}")]
    Http2(h2::Error),
    /// An upgrade was asked for, of an upstream to which only HTTP/2 or FastCGI is spoken.
    #[error("what is spoken to this upstream (HTTP/2 alone, or FastCGI) has no upgrades")]
    NoUpgrade,
}
