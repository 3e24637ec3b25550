//! The principal type is [`XdsError`]: errors of a control plane.

use std::io;
use std::time::Duration;

use crate::resolve::ResolveError;
use crate::tls::TlsError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum XdsError {
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    #[error("no connection: {0}")]
    Connect(#[from] io::Error),
    #[error(transparent)]
    Tls(#[from] TlsError),
    #[error("its connection failed: {0}")]
    Http2(#[from] h2::Error),
    #[error("it answered {0}; expected a server of gRPC with AggregatedDiscoveryService (v3)")]
    Status(http::StatusCode),
    #[error("it ended the call, grpc-status `{status}`: {message}")]
    Ended { status: String, message: String },
    /// It sent what gRPC does not allow, or too much.
    #[error("it sent what cannot be read: {0}")]
    Protocol(String),
    #[error("no answer within {0:?}: check whether it knows this node and this cluster")]
    Silent(Duration),
    #[error("refused (NACK) version `{version}`: {why}")]
    Refused { version: String, why: String },
    #[error("it has no cluster `{0}`")]
    NoCluster(String),
}
