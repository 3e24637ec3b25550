//! The principal type is [`Key`]: by what connections are told apart.

use crate::event::Peer;
use crate::evidence::Protocol;

/// A group, a peer, what is spoken.
pub(super) type Key = (usize, String, Protocol);

/// `10.0.0.5:443`, `/run/mysqld/mysqld.sock`
pub(super) fn name(peer: &Peer) -> String {
    match peer {
        Peer::Ip(address) => address.to_string(),
        Peer::Unix(path) if path.is_empty() => "a Unix socket without a name".into(),
        Peer::Unix(path) => String::from_utf8_lossy(path).into_owned(),
        Peer::Unknown => "unknown".into(),
    }
}
