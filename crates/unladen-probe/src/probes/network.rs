//! Network of the machine and of containers that have one of their own: connections opened, bytes over the loopback and
//! over the wire.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use crate::group::MACHINE;
use crate::ledger::{Counter, CounterId, GroupId, Ledger, Unit};
use crate::probe::{Probe, ProbeEntry, Scene, proc_path};
use crate::procfs::{ProbeError, ProcFs, decimal, malformed};

pub(super) const ENTRY: ProbeEntry = ProbeEntry {
    name: "network",
    about: "TCP connections and bytes, of the machine and of containers with a network of their own",
    counters: &[
        Counter::exact(
            "tcp_opened",
            Unit::Count,
            "TCP connections opened",
            "by this machine, those of the client included (ActiveOpens)",
        ),
        Counter::exact("tcp_accepted", Unit::Count, "TCP connections accepted", "by this machine (PassiveOpens)"),
        Counter::exact(
            "tcp_retransmitted",
            Unit::Count,
            "TCP segments sent again",
            "lost or late segments (RetransSegs)",
        ),
        Counter::exact(
            "loopback_bytes",
            Unit::Bytes,
            "bytes over the loopback",
            "those between the client and the server on this machine included",
        ),
        Counter::exact(
            "network_bytes",
            Unit::Bytes,
            "bytes over the network",
            "received and sent by all other interfaces",
        ),
    ],
    open: |surroundings, ids| {
        // A network namespace without these files is not worth failing for.
        Totals::read(surroundings.procfs).map_err(|error| error.to_string())?;
        Ok(Box::new(Network { ids, last: None, namespaces: Namespaces::default() }))
    },
};

struct Network {
    ids: Vec<CounterId>,
    last: Option<Totals>,
    namespaces: Namespaces,
}

impl Probe for Network {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        let now = Totals::read(scene.procfs)?;
        let machine = self.last.as_ref().map(|last| (MACHINE, now.since(last)));
        self.last = Some(now);
        let processes = scene.table.living().map(|process| (process.pid, process.stat.start, process.group));
        let others = self.namespaces.read(scene.procfs, processes, |group| &scene.groups.get(group).name);
        for (group, grown) in machine.into_iter().chain(others) {
            for (id, grown) in self.ids.iter().zip(grown.0) {
                ledger.add(group, *id, grown);
            }
        }
        Ok(())
    }
}

/// Counts of a network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Totals {
    /// Connections opened and accepted, segments sent again.
    tcp: [u64; 3],
    interfaces: BTreeMap<String, u64>,
}

/// Growth, in the order of the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Grown([u64; 5]);

impl Totals {
    fn read(procfs: &mut ProcFs) -> Result<Self, ProbeError> {
        let content = procfs.file("net/snmp")?;
        let tcp = tcp(content).ok_or_else(|| malformed("/proc/net/snmp", SNMP, content))?;
        let path = proc_path(procfs, "net/dev");
        let content = procfs.file("net/dev")?;
        let interfaces = interfaces(content).ok_or_else(|| malformed(path, DEV, content))?;
        Ok(Self { tcp, interfaces })
    }

    fn of_process(procfs: &mut ProcFs, pid: i32) -> Result<Self, ProbeError> {
        let path = |name: &str| Path::new("/proc").join(pid.to_string()).join(name);
        let read = |name: &str, source| ProbeError::Read { path: path(name), source };
        let content = procfs.of_process(pid, "net/snmp").map_err(|source| read("net/snmp", source))?;
        let tcp = tcp(content).ok_or_else(|| malformed(path("net/snmp"), SNMP, content))?;
        let content = procfs.list_of_process(pid, "net/dev").map_err(|source| read("net/dev", source))?;
        let interfaces = interfaces(content).ok_or_else(|| malformed(path("net/dev"), DEV, content))?;
        Ok(Self { tcp, interfaces })
    }

    /// Interfaces that came or went are excluded: they may bring bytes from elsewhere, or take them along.
    fn since(&self, last: &Self) -> Grown {
        let [opened, accepted, again] = std::array::from_fn(|index| self.tcp[index].saturating_sub(last.tcp[index]));
        let (mut loopback, mut network) = (0, 0_u64);
        for (name, bytes) in &self.interfaces {
            let grown = last.interfaces.get(name).map_or(0, |last| bytes.saturating_sub(*last));
            if name == LOOPBACK {
                loopback = grown;
            } else {
                network = network.saturating_add(grown);
            }
        }
        Grown([opened, accepted, again, loopback, network])
    }
}

const LOOPBACK: &str = "lo";

const SNMP: &str = "a Tcp: line of names and one of numbers";
const DEV: &str = "a line of 16 numbers an interface";

/// ActiveOpens, PassiveOpens and RetransSegs: a line of names, then a line of numbers (RFC 1213 names).
fn tcp(snmp: &[u8]) -> Option<[u64; 3]> {
    let text = std::str::from_utf8(snmp).ok()?;
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Tcp:"));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let value = |wanted: &str| {
        let (_, number) = names.split_whitespace().zip(numbers.split_whitespace()).find(|(name, _)| *name == wanted)?;
        number.parse().ok()
    };
    Some([value("ActiveOpens")?, value("PassiveOpens")?, value("RetransSegs")?])
}

/// Bytes over the loopback (received ones: sent are the same) and over each other interface (both ways).
fn interfaces(dev: &[u8]) -> Option<BTreeMap<String, u64>> {
    let text = std::str::from_utf8(dev).ok()?;
    let lines = text.lines().skip(2).map(|line| {
        let (name, numbers) = line.split_once(':')?;
        let name = name.trim();
        let mut numbers = numbers.split_ascii_whitespace();
        let received = decimal(numbers.next()?.as_bytes())?;
        let sent = decimal(numbers.nth(7)?.as_bytes())?;
        let bytes = if name == LOOPBACK { received } else { received.saturating_add(sent) };
        Some((name.to_owned(), bytes))
    });
    lines.collect()
}

/// Networks read. A machine may have hundreds of pods; each costs two files at each edge of a phase.
const MOST: usize = 256;

/// Networks other than this machine's (network_namespaces(7)).
#[derive(Debug, Default)]
struct Namespaces {
    ours: Option<u64>,
    /// With each process's start, as its id may be reused.
    known: HashMap<i32, (u64, Option<u64>)>,
    last: HashMap<u64, Totals>,
}

impl Namespaces {
    /// Growth since the last reading, for groups with a network of their own. `processes` are all living ones with
    /// start and group.
    fn read<'a>(
        &mut self,
        procfs: &mut ProcFs,
        processes: impl Iterator<Item = (i32, u64, GroupId)>,
        name: impl Fn(GroupId) -> &'a str,
    ) -> Vec<(GroupId, Grown)> {
        if self.ours.is_none() {
            self.ours = inode(procfs, "self");
        }
        let mut members: BTreeMap<u64, (i32, BTreeSet<GroupId>)> = BTreeMap::new();
        let mut known = HashMap::with_capacity(self.known.len());
        for (pid, start, group) in processes {
            let before = self.known.get(&pid).filter(|(began, _)| *began == start).map(|(_, inode)| *inode);
            // Without the right to look (ptrace(2)) there is none.
            let found = before.unwrap_or_else(|| inode(procfs, &pid.to_string()));
            known.insert(pid, (start, found));
            if let Some(namespace) = found.filter(|found| Some(*found) != self.ours) {
                members.entry(namespace).or_insert_with(|| (pid, BTreeSet::new())).1.insert(group);
            }
        }
        self.known = known;
        self.last.retain(|namespace, _| members.contains_key(namespace));
        let mut grown = Vec::new();
        for (namespace, (pid, groups)) in members.into_iter().take(MOST) {
            let Some(owner) = owner(&groups, &name) else { continue };
            // The view ends with its process; the next reading uses another's.
            let Ok(now) = Totals::of_process(procfs, pid) else { continue };
            if let Some(last) = self.last.get(&namespace) {
                grown.push((owner, now.since(last)));
            }
            self.last.insert(namespace, now);
        }
        grown
    }
}

/// The owner of a network shared by these groups: the only one, or the pod whose containers all others are. Other
/// shared networks have no owner.
fn owner<'a>(groups: &BTreeSet<GroupId>, name: &impl Fn(GroupId) -> &'a str) -> Option<GroupId> {
    groups.iter().copied().find(|pod| {
        let is_within = |group: GroupId| name(group).strip_prefix(name(*pod)).is_some_and(|rest| rest.starts_with('/'));
        groups.iter().all(|group| group == pod || is_within(*group))
    })
}

/// Inode of a process's network: `net:[4026531840]`.
fn inode(procfs: &ProcFs, process: &str) -> Option<u64> {
    let link = std::fs::read_link(procfs.root().join(process).join("ns/net")).ok()?;
    link.to_str()?.strip_prefix("net:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests;
