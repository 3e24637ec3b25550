//! The principal type is [`ListeningSocket`]: one that takes connections, as proc_net_tcp(5) has it.

/// `TCP_LISTEN` in the fourth column of /proc/net/tcp.
const LISTEN: &str = "0A";

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
}
