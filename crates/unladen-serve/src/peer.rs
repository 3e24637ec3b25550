//! The principal type is [`Peer`]: who is at the other end of a connection.

use std::net::{IpAddr, SocketAddr};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peer {
    /// `None` for a Unix socket.
    pub(crate) address: Option<IpAddr>,
    pub(crate) port: Option<u16>,
    pub(crate) is_https: bool,
    /// Site named in TLS, if there are several at the address.
    pub(crate) named: Option<Named>,
}

/// A site that a client has named in TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Hash of its name.
    pub(crate) site: u64,
    /// Hash of its certificates.
    pub(crate) appearance: u64,
}

impl Peer {
    pub(crate) fn plain(address: Option<SocketAddr>) -> Self {
        let (address, port) = (address.map(|address| address.ip()), address.map(|address| address.port()));
        Self { address, port, is_https: false, named: None }
    }
}

/// Converts IPv4-mapped IPv6 addresses to IPv4.
pub(crate) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}
