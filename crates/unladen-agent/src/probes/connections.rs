//! The principal type is [`Connections`]: who takes connections here, and who has asked for some.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use unladen_path::{Address, listeners};
use unladen_probe::{GroupId, Instrument, connected_sockets, listening_sockets};

use super::message::{MAX_CONNECTIONS, MAX_GROUPS, MAX_TAKERS};

/// Processes whose descriptors are looked at.
const MAX_PROCESSES: usize = 512;
/// Looks, and the pause between: a connection that lives as long as a query of some milliseconds is seen in one of them.
const LOOKS: usize = 25;
const PAUSE: Duration = Duration::from_millis(12);

/// Connections of groups of processes.
pub(super) struct Connections<'a> {
    instrument: &'a Instrument,
}

// === impl Connections ===

impl<'a> Connections<'a> {
    /// As of the last reading.
    pub(super) fn of(instrument: &'a Instrument) -> Self {
        Self { instrument }
    }

    /// The groups of those who listen at each of these addresses, in the network that this process is in.
    pub(super) fn takers(&self, addresses: &[SocketAddr]) -> Vec<Vec<u32>> {
        let groups: HashMap<u32, u32> = (0..)
            .zip(self.instrument.groups().take(MAX_GROUPS))
            .flat_map(|(index, (id, _))| self.pids(id).map(move |pid| (pid, index)))
            .collect();
        let of = |address: &SocketAddr| {
            let pids = listeners(&Address::Tcp(*address)).ok().flatten().unwrap_or_default();
            let found: BTreeSet<u32> = pids.iter().filter_map(|pid| groups.get(pid).copied()).collect();
            found.into_iter().take(MAX_TAKERS).collect()
        };
        addresses.iter().map(of).collect()
    }

    /// Whom the processes of these groups have connections to that they have asked for, as far as some looks show.
    pub(super) fn asked(&self, groups: &[u32]) -> Vec<SocketAddr> {
        let ids: Vec<GroupId> =
            groups.iter().filter_map(|group| Some(self.instrument.groups().nth(*group as usize)?.0)).collect();
        let pids: Vec<u32> = ids.into_iter().flat_map(|id| self.pids(id)).take(MAX_PROCESSES).collect();
        let mut found = BTreeSet::new();
        for look in 0..LOOKS {
            if look > 0 {
                std::thread::sleep(PAUSE);
            }
            pids.iter().for_each(|pid| asked_by(*pid, &mut found));
        }
        found.into_iter().take(MAX_CONNECTIONS).collect()
    }

    fn pids(&self, group: GroupId) -> impl Iterator<Item = u32> + use<'a> {
        self.instrument.members(group).map(|member| member.pid.cast_unsigned())
    }
}

/// The other ends of a process's connections, but of those that it, or another one of its network, has taken.
fn asked_by(pid: u32, found: &mut BTreeSet<SocketAddr>) {
    let process = Path::new("/proc").join(pid.to_string());
    let sockets = sockets(&process);
    if sockets.is_empty() {
        return;
    }
    // Of the network that the process is in.
    for name in ["tcp", "tcp6"] {
        let Ok(table) = fs::read_to_string(process.join("net").join(name)) else { continue };
        let taken: HashSet<u16> = listening_sockets(&table).map(|socket| socket.port).collect();
        let own = connected_sockets(&table).filter(|socket| sockets.contains(&socket.inode));
        let asked = own.filter(|socket| !taken.contains(&socket.own.port())).map(|socket| socket.peer);
        found.extend(asked.take(MAX_CONNECTIONS));
    }
}

/// The inodes of a process's sockets; none if it has ended, or may not be looked at.
fn sockets(process: &Path) -> HashSet<u64> {
    let links = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    let links = links.filter_map(|entry| fs::read_link(entry.path()).ok());
    let inode = |link: std::path::PathBuf| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    links.filter_map(inode).collect()
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use unladen_probe::GroupBy;

    use super::*;

    #[test]
    fn who_listens_and_whom_a_process_asks_are_told_by_their_groups() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = TcpStream::connect(address).unwrap();
        let (_taken, _) = listener.accept().unwrap();
        let instrument = Instrument::open(GroupBy::Pid).unwrap();
        let connections = Connections::of(&instrument);
        let own =
            instrument.groups().position(|(_, group)| group.kind == unladen_probe::GroupKind::Own).unwrap() as u32;
        let free: SocketAddr = "127.0.0.1:1".parse().unwrap();
        assert_eq!(connections.takers(&[address, free]), [vec![own], vec![]]);
        let found = connections.asked(&[own, u32::MAX]);
        assert!(found.contains(&address), "{found:?}");
        assert!(!found.contains(&asked.local_addr().unwrap()), "it was taken: {found:?}");
    }
}
