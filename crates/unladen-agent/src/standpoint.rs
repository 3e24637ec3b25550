//! The principal type is [`Standpoint`]: which kernel's counters are read, and which processes can be seen from there.

use std::net::IpAddr;
use std::path::Path;

use serde::{Deserialize, Serialize};

const MAX_ADDRESSES: usize = 256;

/// Length of a kernel's boot id, as text (RFC 9562): `0b1c3e64-7c0e-4c25-8d6e-2c5a3f1d9b7e`.
const BOOT_ID_LENGTH: usize = 36;

/// Where counters are read. Two of them count the same processes twice if one sees the other's [`Witness`], and read
/// the same kernel's machine counters if their boot ids are equal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standpoint {
    /// Random id of the kernel's boot; `None` if it cannot be read.
    pub boot_id: Option<String>,
    /// The reading process, by which others know whether they see it; `None` if its own /proc does not show it.
    pub witness: Option<Witness>,
    /// Whether /proc hides other users' processes.
    pub is_hiding: bool,
    /// Addresses of the machine, without loopback.
    pub addresses: Vec<IpAddr>,
}

impl Standpoint {
    /// The standpoint of this process.
    pub fn here() -> Self {
        let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
        Self {
            boot_id: boot_id.map(|id| id.trim().to_owned()),
            witness: Witness::here(),
            // Everybody may read it, unless /proc is mounted with hidepid.
            is_hiding: std::fs::read("/proc/1/stat").is_err(),
            addresses: addresses(),
        }
        .checked()
    }

    pub(crate) fn checked(mut self) -> Self {
        let is_one =
            |id: &String| id.len() == BOOT_ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        self.boot_id = self.boot_id.filter(is_one);
        self.addresses.truncate(MAX_ADDRESSES);
        self
    }

    /// Whether both certainly share a kernel.
    pub fn is_same_kernel(&self, other: &Self) -> bool {
        self.boot_id.is_some() && self.boot_id == other.boot_id
    }

    /// Whether both are certainly in one PID namespace of one kernel.
    pub fn is_same_namespace(&self, other: &Self) -> bool {
        let namespace = |at: &Self| at.witness.and_then(|witness| witness.namespace);
        self.is_same_kernel(other) && namespace(self).is_some() && namespace(self) == namespace(other)
    }

    /// Whether all processes visible from there are certainly shown.
    pub fn is_clear(&self) -> bool {
        self.witness.is_some() && !self.is_hiding
    }

    /// Which of these processes can be seen from here.
    pub fn sees(witnesses: &[Witness]) -> Vec<bool> {
        let mut seen = vec![false; witnesses.len()];
        let shift = shift();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let name = entry.file_name();
            let is_process = name.to_str().is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
            // Processes end at any time.
            let Some(started) = is_process.then(|| std::fs::read(entry.path().join("stat")).ok()).flatten() else {
                continue;
            };
            let Some(started) = self::started(&started).map(|started| started.saturating_sub(shift)) else { continue };
            if !witnesses.iter().any(|witness| witness.began_about(started)) {
                continue;
            }
            let Some(pid) = std::fs::read(entry.path().join("status")).ok().and_then(|status| innermost(&status))
            else {
                continue;
            };
            let found = Witness { pid, started, namespace: namespace(&entry.path()) };
            for (witness, seen) in witnesses.iter().zip(&mut seen) {
                *seen |= witness.is(&found);
            }
        }
        seen
    }
}

/// Addresses of this machine's interfaces: loopback is the same on every machine, and link-local ones mean nothing
/// beyond their link.
fn addresses() -> Vec<IpAddr> {
    let Ok(interfaces) = nix::ifaddrs::getifaddrs() else { return Vec::new() };
    let of = |address: nix::sys::socket::SockaddrStorage| {
        let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
        v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip())))
    };
    let is_reached = |ip: &IpAddr| match ip {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local(),
        IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local(),
    };
    interfaces.filter_map(|interface| of(interface.address?)).filter(is_reached).collect()
}

/// Ticks by which a start time may be off when seen across two time namespaces.
const ROUNDING: u64 = 1;
/// Ticks of a second in /proc (`USER_HZ`), and nanoseconds of a tick.
const TICKS: i64 = 100;
const TICK_NS: i64 = 10_000_000;

/// A process. Every /proc shows its number in its innermost PID namespace last, and the same start time. In two
/// containers started together, processes may share both by chance: a privileged reader (root) also compares the
/// namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Witness {
    /// In its innermost PID namespace.
    pub pid: u32,
    /// Ticks since the machine's boot.
    pub started: i64,
    pub namespace: Option<u64>,
}

impl Witness {
    /// This process; `None` if /proc does not show it, as one of another namespace.
    fn here() -> Option<Self> {
        let stat = std::fs::read("/proc/self/stat").ok()?;
        let started = started(&stat)?.saturating_sub(shift());
        Some(Self { pid: std::process::id(), started, namespace: namespace(Path::new("/proc/self")) })
    }

    fn began_about(&self, started: i64) -> bool {
        self.started.abs_diff(started) <= ROUNDING
    }

    fn is(&self, other: &Self) -> bool {
        let is_there = match (self.namespace, other.namespace) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        };
        // Without the namespace, the start times must be equal.
        let is_then = other.namespace.is_some() || self.started == other.started;
        self.pid == other.pid && is_there && is_then && self.began_about(other.started)
    }
}

/// Parses `pid:[4026531836]`; `None` for another user's process.
fn namespace(process: &Path) -> Option<u64> {
    let link = std::fs::read_link(process.join("ns/pid")).ok()?;
    link.to_str()?.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()
}

/// The 22nd field of /proc/PID/stat (proc_pid_stat(5)). The name, the second, may hold blanks and parentheses.
fn started(stat: &[u8]) -> Option<i64> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    rest.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// The last number of the line `NSpid` of /proc/PID/status (proc_pid_status(5)), missing before Linux 4.1.
fn innermost(status: &[u8]) -> Option<u32> {
    let line = |name: &[u8]| status.split(|byte| *byte == b'\n').find_map(|line| line.strip_prefix(name));
    let numbers = line(b"NSpid:").or_else(|| line(b"Tgid:"))?;
    std::str::from_utf8(numbers).ok()?.split_ascii_whitespace().last()?.parse().ok()
}

/// Ticks by which this process's time namespace shifts the time since boot (time_namespaces(7)).
fn shift() -> i64 {
    std::fs::read("/proc/self/timens_offsets").ok().and_then(|offsets| ticks_of_boot(&offsets)).unwrap_or(0)
}

/// Parses `boottime 86400 0`: seconds and nanoseconds.
fn ticks_of_boot(offsets: &[u8]) -> Option<i64> {
    let line = std::str::from_utf8(offsets).ok()?.lines().find_map(|line| line.strip_prefix("boottime"))?;
    let mut numbers = line.split_ascii_whitespace().map(str::parse::<i64>);
    let (seconds, ns) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some(seconds.saturating_mul(TICKS).saturating_add(ns / TICK_NS))
}

#[cfg(test)]
mod tests;
