//! The principal type is [`Key`]: what distinguishes connections.

use crate::event::Peer;
use crate::evidence::Protocol;

/// Group, peer and protocol.
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
