//! The principal type is [`ListeningSocket`]: one that takes connections, as proc_net_tcp(5) has it; [`ConnectedSocket`]
//! is an end of one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// `TCP_LISTEN` in the fourth column of /proc/net/tcp.
const LISTEN: &str = "0A";

/// `TCP_ESTABLISHED` there.
const ESTABLISHED: &str = "01";

/// A socket that takes connections of TCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListeningSocket<'a> {
    /// Its address in hexadecimal digits: words of four bytes, each in this machine's order.
    pub ip: &'a str,
    /// Its port.
    pub port: u16,
    /// What descriptors of it are known by.
    pub inode: Option<u64>,
}

/// Those of /proc/net/tcp or /proc/net/tcp6: lines as
/// `0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 33 0 27182 …`.
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

/// An end of a connection of TCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectedSocket {
    /// Its own address.
    pub own: SocketAddr,
    /// The other end's.
    pub peer: SocketAddr,
    /// What descriptors of it are known by.
    pub inode: u64,
}

/// Those of /proc/net/tcp or /proc/net/tcp6.
pub fn connected_sockets(table: &str) -> impl Iterator<Item = ConnectedSocket> {
    table.lines().filter_map(|line| {
        let mut columns = line.split_ascii_whitespace().skip(1);
        let (own, peer, state) = (columns.next()?, columns.next()?, columns.next()?);
        let inode = columns.nth(5)?.parse().ok()?;
        (state == ESTABLISHED).then_some(())?;
        Some(ConnectedSocket { own: address(own)?, peer: address(peer)?, inode })
    })
}

/// Of `0100007F:1F90`; an address of IPv4 that is written as IPv6 is one of IPv4.
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
mod tests {
    use super::*;

    #[test]
    fn only_those_that_listen() {
        let table = "  sl  local_address rem_address   st tx_queue\n   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 \
                     00:00000000 00000000    33        0 27182 1 0000000000000000 100 0 0 10 0\n   \
                     1: 0100007F:C001 0100007F:1F90 01 00000000:00000000\n   2: 00000000000000000000000000000000:0050 \
                     00000000000000000000000000000000:0000 0A 0:0\nodd\n";
        let sockets: Vec<_> = listening_sockets(table).map(|socket| (socket.ip, socket.port, socket.inode)).collect();
        assert_eq!(sockets, [("0100007F", 8080, Some(27182)), (&*"0".repeat(32), 80, None)]);
    }

    #[test]
    fn only_those_that_are_connected() {
        let hex = |octets: [u8; 4]| format!("{:08X}", u32::from_ne_bytes(octets));
        let (here, there) = (hex([10, 0, 0, 1]), hex([10, 0, 0, 2]));
        let mapped = format!("{0}{0}{1}{there}", "0".repeat(8), hex([0, 0, 0xff, 0xff]));
        let rest = "00000000:00000000 00:00000000 00000000 33 0";
        let table = format!(
            "  sl  local_address rem_address st\n 0: {here}:C001 {there}:1538 01 {rest} 77 1 0\n 1: {here}:C002 {there}:1538 06 \
             {rest} 0 1 0\n 2: {mapped}:0050 {mapped}:C003 01 {rest} 78 1 0\n 3: {here}:C001 {there} 01 {rest} 79\nodd\n"
        );
        let sockets: Vec<_> = connected_sockets(&table)
            .map(|socket| (socket.own.to_string(), socket.peer.to_string(), socket.inode))
            .collect();
        let expected = [("10.0.0.1:49153", "10.0.0.2:5432", 77), ("10.0.0.2:80", "10.0.0.2:49155", 78)];
        assert_eq!(sockets, expected.map(|(own, peer, inode)| (own.to_owned(), peer.to_owned(), inode)));
    }
}
