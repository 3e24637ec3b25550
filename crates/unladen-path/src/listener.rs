//! Who listens at an address: [`listeners`]; children and names of processes, from /proc.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use unladen_probe::{listening_sockets, parent};

use crate::route::{Address, PathError};

/// The flag of a listening socket in /proc/net/unix: `__SO_ACCEPTCON`.
const ACCEPTS: u64 = 0x10000;

/// All processes that could take a connection there, as far as this process may look at them; `None` if nothing
/// listens. Fails if processes cannot be listed.
pub fn listeners(address: &Address) -> Result<Option<Vec<u32>>, PathError> {
    let inodes = inodes(address)?;
    if inodes.is_empty() { Ok(None) } else { holders(&inodes).map(Some) }
}

/// The one of several listeners at one address that started the others.
pub fn master(holders: &[u32]) -> Option<u32> {
    first_of(holders, parent)
}

fn inodes(address: &Address) -> Result<HashSet<u64>, PathError> {
    Ok(match address {
        Address::Unix(path) => unix_inodes(&read("/proc/net/unix")?, path),
        Address::Tcp(address) => {
            // Without IPv6 there is no such table.
            let table = |table| fs::read_to_string(table).unwrap_or_default();
            ["/proc/net/tcp", "/proc/net/tcp6"]
                .into_iter()
                .flat_map(|name| tcp_inodes(&table(name), *address))
                .collect()
        }
    })
}

fn read(path: &'static str) -> Result<Vec<u8>, PathError> {
    fs::read(path).map_err(|source| PathError::Io { doing: "cannot read", path: path.into(), source })
}

/// Inodes of sockets that listen at a path: proc_net_unix(5), `Num RefCount Protocol Flags Type St Inode Path`.
fn unix_inodes(table: &[u8], path: &Path) -> HashSet<u64> {
    let lines = table.split(|byte| *byte == b'\n');
    lines.filter_map(|line| unix_inode(line, path.as_os_str().as_bytes())).collect()
}

fn unix_inode(line: &[u8], path: &[u8]) -> Option<u64> {
    // A path may have blanks.
    let mut fields = line.splitn(8, |byte| *byte == b' ').map(<[u8]>::trim_ascii);
    let flags = fields.nth(3)?;
    let flags = u64::from_str_radix(std::str::from_utf8(flags).ok()?, 16).ok()?;
    let rest: Vec<&[u8]> = fields.skip(2).collect();
    let rest = rest.join(&b' ');
    let rest = rest.trim_ascii_start();
    let (inode, own) = rest.split_at(rest.iter().position(|byte| *byte == b' ')?);
    (flags & ACCEPTS != 0 && own.get(1..)? == path).then(|| std::str::from_utf8(inode).ok()?.parse().ok()).flatten()
}

/// Inodes of sockets that listen at an address, or at all of its port.
fn tcp_inodes(table: &str, address: SocketAddr) -> HashSet<u64> {
    // Words of four bytes, each in this machine's order.
    let hex = |octets: &[u8]| -> String {
        let words = octets.chunks_exact(4).filter_map(|word| word.try_into().ok().map(u32::from_ne_bytes));
        words.map(|word| format!("{word:08X}")).collect()
    };
    let mut wanted = match address.ip().to_canonical() {
        IpAddr::V4(ip) => vec![hex(&ip.octets()), hex(&ip.to_ipv6_mapped().octets())],
        IpAddr::V6(ip) => vec![hex(&ip.octets())],
    };
    wanted.extend(["0".repeat(8), "0".repeat(32)]);
    let sockets = listening_sockets(table).filter(|socket| socket.port == address.port());
    sockets.filter(|socket| wanted.iter().any(|wanted| wanted == socket.ip)).filter_map(|socket| socket.inode).collect()
}

fn holders(inodes: &HashSet<u64>) -> Result<Vec<u32>, PathError> {
    let failed = |source| PathError::Io { doing: "cannot list", path: PathBuf::from("/proc"), source };
    let mut holders = Vec::new();
    for entry in fs::read_dir("/proc").map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // Processes end, and some may not be looked at.
        let Ok(descriptors) = fs::read_dir(entry.path().join("fd")) else { continue };
        let holds = |link: PathBuf| {
            let inode = link.as_os_str().to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()?;
            inodes.contains(&inode).then_some(())
        };
        if descriptors.flatten().filter_map(|entry| fs::read_link(entry.path()).ok()).any(|link| holds(link).is_some())
        {
            holders.push(pid);
        }
    }
    Ok(holders)
}

/// The holder whose parent does not hold it too. Process 1 holds sockets for others.
fn first_of(holders: &[u32], parent: impl Fn(u32) -> Option<u32>) -> Option<u32> {
    let services: Vec<u32> = holders.iter().copied().filter(|pid| *pid != INIT).collect();
    let is_first = |pid: &u32| parent(*pid).is_none_or(|parent| !services.contains(&parent));
    services.iter().copied().filter(is_first).min().or_else(|| holders.first().copied())
}

/// Process 1 holds the sockets of all socket-activated services, and is everybody's ancestor.
pub(crate) const INIT: u32 = 1;

/// A process's name for people: `nginx (process 4711)`.
pub fn name_of(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    match name.trim() {
        "" => format!("process {pid}"),
        name => format!("{name} (process {pid})"),
    }
}

#[derive(Debug, Default)]
pub(crate) struct Family {
    children: HashMap<u32, Vec<u32>>,
}

impl Family {
    pub(crate) fn now() -> Self {
        let pids = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        Self::of(pids.filter_map(|pid| Some((pid, parent(pid)?))))
    }

    fn of(pairs: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for (pid, parent) in pairs {
            children.entry(parent).or_default().push(pid);
        }
        Self { children }
    }

    /// These and their descendants, at most `most`; of process 1 only itself.
    pub(crate) fn with_descendants(&self, of: &[u32], most: usize) -> Vec<u32> {
        let mut all: Vec<u32> = Vec::new();
        let mut next = of.to_vec();
        while let Some(pid) = next.pop() {
            if all.len() < most && !all.contains(&pid) {
                all.push(pid);
                let children = self.children.get(&pid).filter(|_| pid != INIT);
                next.extend(children.into_iter().flatten());
            }
        }
        all
    }
}

#[cfg(test)]
mod tests;
