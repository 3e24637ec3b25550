//! Ports at which processes take connections: what tells a connection that a process accepted from one that it asked
//! for.

use std::collections::HashSet;
use std::fs;

/// TCP_LISTEN in the fourth column of /proc/net/tcp.
const LISTEN: &str = "0A";

/// Of the network that this process is in: one file for each address family.
pub(super) fn ports_of(pid: u32) -> HashSet<u16> {
    let mut ports = HashSet::new();
    for family in ["tcp", "tcp6"] {
        ports.extend(ports_in(&fs::read_to_string(format!("/proc/{pid}/net/{family}")).unwrap_or_default()));
    }
    ports
}

/// Lines as `0: 0100007F:1F90 00000000:0000 0A …`.
fn ports_in(table: &str) -> impl Iterator<Item = u16> {
    table.lines().filter_map(|line| {
        let mut columns = line.split_ascii_whitespace().skip(1);
        let (local, _peer, state) = (columns.next()?, columns.next()?, columns.next()?);
        let (_, port) = local.rsplit_once(':')?;
        (state == LISTEN).then(|| u16::from_str_radix(port, 16).ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::ports_in;

    #[test]
    fn only_those_that_listen() {
        let table = "  sl  local_address rem_address   st tx_queue\n   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000\n   \
                     1: 0100007F:C001 0100007F:1F90 01 00000000:00000000\n   2: 00000000000000000000000000000000:0050 \
                     00000000000000000000000000000000:0000 0A 0:0\nodd\n";
        assert_eq!(ports_in(table).collect::<Vec<_>>(), [8080, 80]);
    }
}
