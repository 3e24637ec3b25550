//! Ports at which processes take connections: what tells a connection that a process accepted from one that it asked
//! for.

use std::collections::HashSet;
use std::fs;
use std::hash::Hash;
use std::path::Path;

use crate::tcp_table::listening_sockets;

/// Of the networks that these processes are in.
pub(super) fn ports_of(pids: impl IntoIterator<Item = u32>) -> HashSet<u16> {
    ports_by(pids, |pid| fs::read_link(format!("/proc/{pid}/ns/net")).ok(), |table| fs::read_to_string(table).ok())
}

/// A network's tables are read once, however many of the processes are in it: of a busy machine they have megabytes.
/// What cannot be looked at is not known to be another's.
fn ports_by<N: Eq + Hash>(
    pids: impl IntoIterator<Item = u32>,
    network: impl Fn(u32) -> Option<N>,
    mut read: impl FnMut(&Path) -> Option<String>,
) -> HashSet<u16> {
    let (mut networks, mut ports) = (HashSet::new(), HashSet::new());
    for pid in pids.into_iter().filter(|pid| network(*pid).is_none_or(|network| networks.insert(network))) {
        // One file for each address family.
        for family in ["tcp", "tcp6"] {
            let table = read(Path::new(&format!("/proc/{pid}/net/{family}"))).unwrap_or_default();
            ports.extend(listening_sockets(&table).map(|socket| socket.port));
        }
    }
    ports
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pool of 200 workers had the same tables read 400 times.
    #[test]
    fn the_tables_of_a_network_were_read_for_each_of_its_processes() {
        let mut read = Vec::new();
        let networks = [(1, Some('a')), (2, Some('a')), (3, Some('b')), (4, None), (5, None), (6, Some('b'))];
        let network = |pid: u32| networks.iter().find(|(of, _)| *of == pid).and_then(|(_, network)| *network);
        let ports = ports_by((1..=6).collect::<Vec<_>>(), network, |table| {
            read.push(table.display().to_string());
            let port = if table.starts_with("/proc/3") { "1F90" } else { "0050" };
            Some(format!("  sl\n 0: 0100007F:{port} 00000000:0000 0A 0:0 0:0 0 33 0 27182\n"))
        });
        assert_eq!(ports, HashSet::from([80, 8080]));
        let expected =
            ["1", "3", "4", "5"].map(|pid| ["tcp", "tcp6"].map(|family| format!("/proc/{pid}/net/{family}")));
        assert_eq!(read, expected.concat());
    }
}
