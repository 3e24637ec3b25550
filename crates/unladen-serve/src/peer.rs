//! The principal type is [`Peer`]: who is at the other end of a connection.

use std::net::{IpAddr, SocketAddr};

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peer {
    /// None: it is a Unix socket.
    pub(crate) address: Option<IpAddr>,
    /// Of TCP.
    pub(crate) port: Option<u16>,
    pub(crate) is_https: bool,
    /// Of several sites at its address, the one that it has named with TLS; none: it has named none, or there is one.
    pub(crate) named: Option<Named>,
}

/// A site that a client has named with TLS, before it has asked for anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// Of its name.
    pub(crate) site: u64,
    /// Of its certificates.
    pub(crate) appearance: u64,
}

impl Peer {
    /// Who came without TLS.
    pub(crate) fn plain(address: Option<SocketAddr>) -> Self {
        let (address, port) = (address.map(|address| address.ip()), address.map(|address| address.port()));
        Self { address, port, is_https: false, named: None }
    }
}

/// As of IPv4, where it is one of IPv4 within IPv6.
pub(crate) fn canonical(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}
