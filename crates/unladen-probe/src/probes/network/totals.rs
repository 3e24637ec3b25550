//! The principal type is [`Totals`]: counts of a network.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::ProbeError;
use crate::probe::proc_path;
use crate::procfs::{ProcFs, decimal, malformed};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Totals {
    /// Connections opened and accepted, segments sent again.
    tcp: [u64; 3],
    interfaces: BTreeMap<String, u64>,
}

/// Growth, in the order of the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grown(pub(super) [u64; 5]);

impl Totals {
    pub(super) fn read(procfs: &mut ProcFs) -> Result<Self, ProbeError> {
        let content = procfs.file("net/snmp")?;
        let tcp = tcp(content).ok_or_else(|| malformed("/proc/net/snmp", SNMP, content))?;
        let path = proc_path(procfs, "net/dev");
        let content = procfs.file("net/dev")?;
        let interfaces = interfaces(content).ok_or_else(|| malformed(path, DEV, content))?;
        Ok(Self { tcp, interfaces })
    }

    pub(super) fn of_process(procfs: &mut ProcFs, pid: i32) -> Result<Self, ProbeError> {
        let path = |name: &str| Path::new("/proc").join(pid.to_string()).join(name);
        let read = |name: &str, source| ProbeError::Read { path: path(name), source };
        let content = procfs.of_process(pid, "net/snmp").map_err(|source| read("net/snmp", source))?;
        let tcp = tcp(content).ok_or_else(|| malformed(path("net/snmp"), SNMP, content))?;
        let content = procfs.list_of_process(pid, "net/dev").map_err(|source| read("net/dev", source))?;
        let interfaces = interfaces(content).ok_or_else(|| malformed(path("net/dev"), DEV, content))?;
        Ok(Self { tcp, interfaces })
    }

    /// Interfaces that came or went are excluded: they may bring bytes from elsewhere, or take them along.
    pub(super) fn since(&self, last: &Self) -> Grown {
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

#[cfg(test)]
mod tests;
