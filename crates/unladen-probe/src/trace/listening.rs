//! Ports at which processes take connections: what tells a connection that a process accepted from one that it asked
//! for.

use std::collections::HashSet;
use std::fs;

use crate::tcp_table::listening_sockets;

/// Of the network that this process is in: one file for each address family.
pub(super) fn ports_of(pid: u32) -> HashSet<u16> {
    let mut ports = HashSet::new();
    for family in ["tcp", "tcp6"] {
        let table = fs::read_to_string(format!("/proc/{pid}/net/{family}")).unwrap_or_default();
        ports.extend(listening_sockets(&table).map(|socket| socket.port));
    }
    ports
}
