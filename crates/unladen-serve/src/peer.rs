//! The principal type is [`Peer`]: who is at the other end of a connection.

use std::net::IpAddr;

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Peer {
    /// None: it is a Unix socket.
    pub(crate) address: Option<IpAddr>,
    pub(crate) is_https: bool,
}
