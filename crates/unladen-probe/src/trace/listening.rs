//! Listening ports, which tell accepted connections from outgoing ones.

use std::collections::HashSet;
use std::fs;
use std::hash::Hash;
use std::path::Path;

use crate::tcp_table::listening_sockets;

pub(super) fn ports_of(pids: impl IntoIterator<Item = u32>) -> HashSet<u16> {
    ports_by(pids, |pid| fs::read_link(format!("/proc/{pid}/ns/net")).ok(), |table| fs::read_to_string(table).ok())
}

/// Reads a network's tables once, however many of the processes are in it: on a busy machine they have megabytes. A
/// process whose network is unreadable has its tables read in any case.
fn ports_by<N: Eq + Hash>(
    pids: impl IntoIterator<Item = u32>,
    network: impl Fn(u32) -> Option<N>,
    mut read: impl FnMut(&Path) -> Option<String>,
) -> HashSet<u16> {
    let (mut networks, mut ports) = (HashSet::new(), HashSet::new());
    for pid in pids.into_iter().filter(|pid| network(*pid).is_none_or(|network| networks.insert(network))) {
        for family in ["tcp", "tcp6"] {
            let table = read(Path::new(&format!("/proc/{pid}/net/{family}"))).unwrap_or_default();
            ports.extend(listening_sockets(&table).map(|socket| socket.port));
        }
    }
    ports
}

#[cfg(test)]
mod tests;
