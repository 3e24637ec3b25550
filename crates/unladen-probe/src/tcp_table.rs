//! The principal types are [`ListeningSocket`] and [`ConnectedSocket`]: rows of proc_net_tcp(5).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// `TCP_LISTEN` in the fourth column of /proc/net/tcp.
const LISTEN: &str = "0A";

/// `TCP_ESTABLISHED` in the same column.
const ESTABLISHED: &str = "01";

/// A TCP socket that accepts connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListeningSocket<'a> {
    /// Hexadecimal address: words of four bytes, each in this machine's order.
    pub ip: &'a str,
    pub port: u16,
    /// Identifies descriptors of the socket.
    pub inode: Option<u64>,
}

/// The listening sockets of /proc/net/tcp or /proc/net/tcp6: lines as `0: 0100007F:1F90 00000000:0000 0A
/// 00000000:00000000 00:00000000 00000000 33 0 27182 …`.
pub fn listening_sockets(table: &str) -> impl Iterator<Item = ListeningSocket<'_>> {
    table.lines().filter_map(|line| {
        let mut columns = line.split_ascii_whitespace().skip(1);
        let (local, _peer, state) = (columns.next()?, columns.next()?, columns.next()?);
        let (ip, port) = local.rsplit_once(':')?;
        let inode = columns.nth(5).and_then(|inode| inode.parse().ok());
        (state == LISTEN).then_some(())?;
        Some(ListeningSocket { ip, port: u16::from_str_radix(port, 16).ok()?, inode })
    })
}

/// One end of a TCP connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectedSocket {
    pub own: SocketAddr,
    pub peer: SocketAddr,
    /// Identifies descriptors of the socket.
    pub inode: u64,
}

/// The established connections of /proc/net/tcp or /proc/net/tcp6.
pub fn connected_sockets(table: &str) -> impl Iterator<Item = ConnectedSocket> {
    table.lines().filter_map(|line| {
        let mut columns = line.split_ascii_whitespace().skip(1);
        let (own, peer, state) = (columns.next()?, columns.next()?, columns.next()?);
        let inode = columns.nth(5)?.parse().ok()?;
        (state == ESTABLISHED).then_some(())?;
        Some(ConnectedSocket { own: address(own)?, peer: address(peer)?, inode })
    })
}

/// Parses `0100007F:1F90`; IPv4 addresses mapped to IPv6 become IPv4.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.rsplit_once(':')?;
    let words: Vec<[u8; 4]> = ip
        .as_bytes()
        .chunks(8)
        .map(|word| u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok().map(u32::to_ne_bytes))
        .collect::<Option<_>>()?;
    let ip = match (ip.len(), words.as_slice()) {
        (8, [word]) => IpAddr::from(Ipv4Addr::from(*word)),
        (32, words) => IpAddr::from(Ipv6Addr::from(<[u8; 16]>::try_from(words.concat()).ok()?)).to_canonical(),
        _ => return None,
    };
    Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests;
