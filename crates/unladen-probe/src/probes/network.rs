//! The network of the machine, and of containers that have one of their own: connections opened, bytes over the loopback
//! and over the wire.

mod namespaces;

use std::path::Path;

use crate::counter::{Counter, Unit};
use crate::error::ProbeError;
use crate::group::MACHINE;
use crate::ledger::{CounterId, Ledger};
use crate::probe::{Probe, ProbeEntry, Scene, proc_path};
use crate::procfs::{ProcFs, decimal, malformed};

use namespaces::Namespaces;

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

/// In the order of the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Totals([u64; 5]);

impl Totals {
    fn read(procfs: &mut ProcFs) -> Result<Self, ProbeError> {
        let content = procfs.file("net/snmp")?;
        let tcp = tcp(content).ok_or_else(|| malformed("/proc/net/snmp", SNMP, content))?;
        let path = proc_path(procfs, "net/dev");
        let content = procfs.file("net/dev")?;
        let bytes = bytes(content).ok_or_else(|| malformed(path, DEV, content))?;
        Ok(Self::new(tcp, bytes))
    }

    /// Of the network that a process is in.
    fn of_process(procfs: &mut ProcFs, pid: i32) -> Result<Self, ProbeError> {
        let path = |name: &str| Path::new("/proc").join(pid.to_string()).join(name);
        let read = |name: &str, source| ProbeError::Read { path: path(name), source };
        let content = procfs.of_process(pid, "net/snmp").map_err(|source| read("net/snmp", source))?;
        let tcp = tcp(content).ok_or_else(|| malformed(path("net/snmp"), SNMP, content))?;
        let content = procfs.of_process(pid, "net/dev").map_err(|source| read("net/dev", source))?;
        let bytes = bytes(content).ok_or_else(|| malformed(path("net/dev"), DEV, content))?;
        Ok(Self::new(tcp, bytes))
    }

    fn new([opened, accepted, again]: [u64; 3], (loopback, network): (u64, u64)) -> Self {
        Self([opened, accepted, again, loopback, network])
    }

    fn since(self, last: Self) -> Self {
        Self(std::array::from_fn(|index| self.0[index].saturating_sub(last.0[index])))
    }
}

/// What the files hold.
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

/// Bytes over the loopback (received ones: sent are the same) and over everything else (both ways).
fn bytes(dev: &[u8]) -> Option<(u64, u64)> {
    let text = std::str::from_utf8(dev).ok()?;
    let mut totals = (0, 0_u64);
    for line in text.lines().skip(2) {
        let (name, numbers) = line.split_once(':')?;
        let mut numbers = numbers.split_ascii_whitespace();
        let received = decimal(numbers.next()?.as_bytes())?;
        let sent = decimal(numbers.nth(7)?.as_bytes())?;
        if name.trim() == "lo" {
            totals.0 = received;
        } else {
            totals.1 = totals.1.saturating_add(received).saturating_add(sent);
        }
    }
    Some(totals)
}

impl Probe for Network {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        let now = Totals::read(scene.procfs)?;
        let machine = self.last.replace(now).map(|last| (MACHINE, now.since(last)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_found_by_their_names() {
        let snmp =
            b"Ip: Forwarding\nIp: 1\nTcp: RtoMin ActiveOpens PassiveOpens InSegs RetransSegs\nTcp: 200 11 12 900 3\n";
        assert_eq!(tcp(snmp), Some([11, 12, 3]));
        assert_eq!(tcp(b"Tcp: RtoMin\n"), None);
    }

    #[test]
    fn the_loopback_is_kept_apart_from_the_wire() {
        let dev = b"Inter-| Receive | Transmit\n face |bytes\n    lo: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n  eth0:7 1 0 0 0 0 0 0 5 1 0 0 0 0 0 0\n";
        assert_eq!(bytes(dev), Some((100, 12)));
    }
}
