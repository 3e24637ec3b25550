//! [`connected_to`]: where this process has connections to.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::net::SocketAddr;

use unladen_probe::connected_sockets;

/// Most bytes of a network's table that are read: some 400,000 sockets.
const MAX_TABLE: u64 = 1 << 26;

/// Those of the addresses to which this process, not another one, has an open connection.
pub(crate) fn connected_to(addresses: &[SocketAddr]) -> Vec<SocketAddr> {
    if addresses.is_empty() {
        return Vec::new();
    }
    let own = own_sockets();
    let mut peers = HashSet::new();
    for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
        let mut text = String::new();
        if File::open(table).and_then(|file| file.take(MAX_TABLE).read_to_string(&mut text)).is_ok() {
            peers.extend(
                connected_sockets(&text).filter(|socket| own.contains(&socket.inode)).map(|socket| socket.peer),
            );
        }
    }
    // The kernel's table has neither scopes nor IPv4-mapped IPv6 addresses.
    let is_peer = |address: &&SocketAddr| peers.contains(&SocketAddr::new(address.ip().to_canonical(), address.port()));
    addresses.iter().filter(is_peer).copied().collect()
}

fn own_sockets() -> HashSet<u64> {
    let links = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let links = links.filter_map(|entry| fs::read_link(entry.path()).ok());
    links.filter_map(|link| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()).collect()
}

#[cfg(test)]
mod tests;
