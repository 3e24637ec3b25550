//! The principal type is [`Totals`]: what a network has counted.

use std::path::Path;

use crate::error::ProbeError;
use crate::probe::proc_path;
use crate::procfs::{ProcFs, decimal, malformed};

/// In the order of the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Totals(pub(super) [u64; 5]);

impl Totals {
    pub(super) fn read(procfs: &mut ProcFs) -> Result<Self, ProbeError> {
        let content = procfs.file("net/snmp")?;
        let tcp = tcp(content).ok_or_else(|| malformed("/proc/net/snmp", SNMP, content))?;
        let path = proc_path(procfs, "net/dev");
        let content = procfs.file("net/dev")?;
        let bytes = bytes(content).ok_or_else(|| malformed(path, DEV, content))?;
        Ok(Self::new(tcp, bytes))
    }

    /// Of the network that a process is in.
    pub(super) fn of_process(procfs: &mut ProcFs, pid: i32) -> Result<Self, ProbeError> {
        let path = |name: &str| Path::new("/proc").join(pid.to_string()).join(name);
        let read = |name: &str, source| ProbeError::Read { path: path(name), source };
        let content = procfs.of_process(pid, "net/snmp").map_err(|source| read("net/snmp", source))?;
        let tcp = tcp(content).ok_or_else(|| malformed(path("net/snmp"), SNMP, content))?;
        let content = procfs.list_of_process(pid, "net/dev").map_err(|source| read("net/dev", source))?;
        let bytes = bytes(content).ok_or_else(|| malformed(path("net/dev"), DEV, content))?;
        Ok(Self::new(tcp, bytes))
    }

    fn new([opened, accepted, again]: [u64; 3], (loopback, network): (u64, u64)) -> Self {
        Self([opened, accepted, again, loopback, network])
    }

    pub(super) fn since(self, last: Self) -> Self {
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
