//! The principal type is [`Route`]: who takes a request, whom they ask for it, and so on.

use std::ffi::OsStr;
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use unladen_load::LoadError;
use unladen_probe::TraceError;
use unladen_trace::{PathUnknown, Peer, PeerSeen};

/// Most addresses followed. A page that asks more servers is reported to do so.
pub(crate) const MOST_STATIONS: usize = 32;

/// Who a request goes through, as far as observed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route {
    /// On this machine, in the order found.
    pub stations: Vec<Station>,
    /// Peers that cannot be looked at.
    pub beyond: Vec<PeerSeen>,
    /// Why the rest of it is not known, if so.
    pub unknown: Option<PathUnknown>,
}

/// The listeners at an address to which the request was passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Station {
    pub address: Address,
    /// The processes that took it; if none was seen to, those that could have.
    pub pids: Vec<u32>,
    pub seen: bool,
}

/// A listening address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, derive_more::Display)]
pub enum Address {
    /// A Unix socket; an abstract one begins with `@`.
    #[display("{}", _0.display())]
    Unix(PathBuf),
    #[display("{_0}")]
    Tcp(SocketAddr),
}

// === impl Address ===

impl Address {
    /// The other end of a connection; `None` if it has no name.
    pub fn of(peer: &Peer) -> Option<Self> {
        match peer {
            Peer::Ip(address) => Some(Self::Tcp(*address)),
            Peer::Unix(path) if !path.is_empty() => Some(Self::Unix(PathBuf::from(OsStr::from_bytes(path)))),
            _ => None,
        }
    }
}

/// Why a request cannot be followed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    #[error("interrupted")]
    Cancelled,
    #[error(transparent)]
    Load(LoadError),
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error("{url} is not served by this machine")]
    Remote { url: String },
    /// The mark cannot be made, or there is nothing to send.
    #[error("cannot mark a request: {0}")]
    Mark(String),
    #[error("{doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
}

impl From<LoadError> for PathError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Cancelled => Self::Cancelled,
            error => Self::Load(error),
        }
    }
}
