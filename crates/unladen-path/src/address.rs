//! The principal type is [`Address`].

use std::ffi::OsStr;
use std::fmt;
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use unladen_trace::Peer;

/// A listening address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Address {
    /// A Unix socket; an abstract one begins with `@`.
    Unix(PathBuf),
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

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unix(path) => write!(f, "{}", path.display()),
            Self::Tcp(address) => write!(f, "{address}"),
        }
    }
}
