//! The principal type is [`ServeError`]: why nothing is served, or not any longer.

use std::io;

use unladen_pool::UpstreamError;

/// Why nothing is served, or not any longer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    #[error("cannot listen at {address}: {source}{}", hint(source))]
    Listen { address: String, source: io::Error },
    #[error("the upstream `{name}`: {source}")]
    Upstream { name: String, source: Box<UpstreamError> },
    #[error("the site `{name}`: {source}")]
    Site { name: String, source: crate::site::SiteError },
    #[error("[fleet]: {0}")]
    Fleet(#[source] unladen_fleet::BusError),
    #[error("cannot start logging: {0}")]
    Observability(#[source] io::Error),
    #[error("cannot start: {doing}: {source}")]
    Start { doing: &'static str, source: io::Error },
    #[error("thread {thread} ended unexpectedly, which is a bug in this program: see above")]
    Thread { thread: usize },
    #[error("the handed-over sockets cannot be used: {0}")]
    Handover(#[source] io::Error),
}

/// How serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// As asked to: all requests are done or out of time.
    Drained,
    HandedOver {
        process: u32,
    },
    /// At once, as it was asked to twice.
    AtOnce,
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "; another server is already there: stop it, or use another address (`ss -lptn` and `ss -lxp` show which \
             it is)"
        }
        io::ErrorKind::PermissionDenied => {
            "; ports below 1024 need CAP_NET_BIND_SERVICE (AmbientCapabilities= of systemd), Unix sockets need the \
             right to write into their folder"
        }
        io::ErrorKind::AddrNotAvailable => "; no interface of this machine has the address",
        io::ErrorKind::NotFound => "; its folder does not exist (RuntimeDirectory= of systemd creates one)",
        _ => "",
    }
}
