//! The principal type is [`Connections`]: which groups accept connections here, and which open some.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{self, File};
use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use unladen_path::{Address, listeners};
use unladen_probe::{GroupId, Instrument, connected_sockets, listening_sockets};

use super::message::{MAX_CONNECTIONS, MAX_GROUPS, MAX_TAKERS};

const MAX_PROCESSES: usize = 512;
/// Number of looks, and the pause between: a connection that lives as long as a query of some milliseconds is seen in
/// one of them.
const LOOKS: usize = 25;
const PAUSE: Duration = Duration::from_millis(12);
/// Time limit of all looks: the asking side waits, and an agent is a guest.
const LONGEST: Duration = Duration::from_secs(1);
/// Maximum bytes of a network's table: some 400,000 sockets.
const MAX_TABLE: u64 = 1 << 26;

pub(super) struct Connections<'a> {
    instrument: &'a Instrument,
}

impl<'a> Connections<'a> {
    pub(super) fn of(instrument: &'a Instrument) -> Self {
        Self { instrument }
    }

    /// Groups that listen at each of these addresses, in this process's network namespace; empty where the time was too
    /// short.
    pub(super) fn takers(&self, addresses: &[SocketAddr]) -> Vec<Vec<u32>> {
        let end = Instant::now() + LONGEST;
        let groups: HashMap<u32, u32> = (0..)
            .zip(self.instrument.groups().take(MAX_GROUPS))
            .flat_map(|(index, (id, _))| self.pids(id).map(move |pid| (pid, index)))
            .collect();
        let of = |address: &SocketAddr| {
            if Instant::now() >= end {
                return Vec::new();
            }
            let pids = listeners(&Address::Tcp(*address)).ok().flatten().unwrap_or_default();
            let found: BTreeSet<u32> = pids.iter().filter_map(|pid| groups.get(pid).copied()).collect();
            found.into_iter().take(MAX_TAKERS).collect()
        };
        addresses.iter().map(of).collect()
    }

    /// Addresses that the processes of these groups have connected to, as far as some looks show.
    pub(super) fn asked(&self, groups: &[u32]) -> Vec<SocketAddr> {
        let ids: Vec<GroupId> =
            groups.iter().filter_map(|group| Some(self.instrument.groups().nth(*group as usize)?.0)).collect();
        let pids: Vec<u32> = ids.into_iter().flat_map(|id| self.pids(id)).take(MAX_PROCESSES).collect();
        asked_by(&pids, Instant::now() + LONGEST, |table| {
            let mut text = String::new();
            File::open(table).and_then(|file| file.take(MAX_TABLE).read_to_string(&mut text)).ok().map(|_| text)
        })
    }

    fn pids(&self, group: GroupId) -> impl Iterator<Item = u32> + use<'a> {
        self.instrument.members(group).map(|member| member.pid.cast_unsigned())
    }
}

/// Remote ends of these processes' connections, without those that they, or others of their network, have accepted.
fn asked_by(pids: &[u32], end: Instant, mut read: impl FnMut(&Path) -> Option<String>) -> Vec<SocketAddr> {
    let mut found = BTreeSet::new();
    for look in 0..LOOKS {
        if look > 0 {
            std::thread::sleep(PAUSE);
        }
        for (network, sockets) in sockets_by_network(pids, end) {
            if Instant::now() >= end {
                break;
            }
            asked_in(&network, &sockets, &mut read, &mut found);
        }
        if Instant::now() >= end {
            break;
        }
    }
    found.into_iter().take(MAX_CONNECTIONS).collect()
}

/// Sockets of these processes by network namespace (as a process's folder): its tables list the connections of all its
/// processes, so each is read once, and not for each process.
fn sockets_by_network(pids: &[u32], end: Instant) -> Vec<(PathBuf, HashSet<u64>)> {
    let mut networks: BTreeMap<PathBuf, (PathBuf, HashSet<u64>)> = BTreeMap::new();
    for pid in pids {
        if Instant::now() >= end {
            break;
        }
        let process = Path::new("/proc").join(pid.to_string());
        let sockets = sockets(&process);
        if sockets.is_empty() {
            continue;
        }
        // A process that has ended has no network any more.
        let Ok(network) = fs::read_link(process.join("ns/net")) else { continue };
        networks.entry(network).or_insert_with(|| (process.join("net"), HashSet::new())).1.extend(sockets);
    }
    networks.into_values().collect()
}

fn asked_in(
    network: &Path,
    sockets: &HashSet<u64>,
    read: &mut impl FnMut(&Path) -> Option<String>,
    found: &mut BTreeSet<SocketAddr>,
) {
    for name in ["tcp", "tcp6"] {
        let Some(table) = read(&network.join(name)) else { continue };
        let taken: HashSet<u16> = listening_sockets(&table).map(|socket| socket.port).collect();
        let own = connected_sockets(&table).filter(|socket| sockets.contains(&socket.inode));
        let asked = own.filter(|socket| !taken.contains(&socket.own.port())).map(|socket| socket.peer);
        found.extend(asked.take(MAX_CONNECTIONS));
    }
}

/// Inodes of a process's sockets; empty if it has ended, or may not be read.
fn sockets(process: &Path) -> HashSet<u64> {
    let links = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    let links = links.filter_map(|entry| fs::read_link(entry.path()).ok());
    let inode = |link: PathBuf| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    links.filter_map(inode).collect()
}

#[cfg(test)]
mod tests;
