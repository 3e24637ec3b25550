//! The principal type is [`Application`]: the process that answers.

use std::collections::HashSet;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::error::ProfilerError;
use crate::params::Address;

/// The flag of a socket that listens, in /proc/net/unix: `__SO_ACCEPTCON`.
const ACCEPTS: u64 = 0x10000;
/// `TCP_LISTEN`, in /proc/net/tcp.
const LISTENS: &str = "0A";
/// It holds the sockets of all services that it starts on demand.
const INIT: u32 = 1;

/// A process that takes requests, or the master of those that do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its id.
    pub pid: u32,
    /// Its executable.
    pub exe: PathBuf,
    /// Its command line.
    pub command: Vec<Vec<u8>>,
    /// What it is.
    pub kind: Kind,
}

/// What an application is written in, as far as that tells how it is profiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// PHP-FPM.
    PhpFpm,
    /// A Perl program that takes FastCGI.
    Perl,
    /// fcgiwrap, which starts a CGI program for each request.
    Fcgiwrap,
    /// Something else.
    Other,
}

/// Who listens at an address.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) application: Application,
}

// === impl Application ===

impl Application {
    /// A process that is there.
    ///
    /// # Errors
    /// When it is not, or may not be looked at.
    pub fn of(pid: u32) -> Result<Self, ProfilerError> {
        let folder = PathBuf::from(format!("/proc/{pid}"));
        let failed = |name: &str| {
            let path = folder.join(name);
            move |source| ProfilerError::Io { doing: "cannot read", path, source }
        };
        let exe = fs::read_link(folder.join("exe")).map_err(failed("exe"))?;
        let line = fs::read(folder.join("cmdline")).map_err(failed("cmdline"))?;
        let mut command: Vec<Vec<u8>> = line.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
        // Titles are filled up with zeros.
        while command.last().is_some_and(Vec::is_empty) {
            command.pop();
        }
        let kind = Kind::of(&exe);
        Ok(Self { pid, exe, command, kind })
    }
}

// === impl Kind ===

impl Kind {
    fn of(exe: &Path) -> Self {
        let name = exe.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let name = name.trim_end_matches(" (deleted)");
        let is = |program: &str| {
            name.strip_prefix(program)
                .is_some_and(|rest| rest.trim_start_matches('-').chars().all(|c| c.is_ascii_digit() || c == '.'))
        };
        if is("php-fpm") {
            Self::PhpFpm
        } else if is("perl") {
            Self::Perl
        } else if name == "fcgiwrap" {
            Self::Fcgiwrap
        } else {
            Self::Other
        }
    }
}

// === impl Listener ===

impl Listener {
    /// Looks for whoever holds the socket that listens there: of several, the one that has started the others.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn find(address: &Address) -> Result<Self, ProfilerError> {
        let inodes = inodes(address)?;
        if inodes.is_empty() {
            return Err(ProfilerError::NotFound(format!(
                "nothing listens at {address} here: is the application in a container of its own? Run unladen where it runs"
            )));
        }
        let holders = holders(&inodes)?;
        let Some(pid) = master(&holders, parent) else {
            return Err(ProfilerError::NotFound(format!(
                "the process that listens at {address} cannot be found: run as root"
            )));
        };
        let master = Application::of(pid)?;
        // What only keeps several running, as multiwatch does, answers nothing itself: one of those that do is the application.
        let known = |pid: &u32| Application::of(*pid).ok().filter(|one| one.kind != Kind::Other);
        let below = if master.kind == Kind::Other { holders.iter().find_map(known) } else { None };
        Ok(Self { application: below.unwrap_or(master) })
    }

    /// All processes that could take a connection there; none where nothing listens.
    ///
    /// # Errors
    /// When processes cannot be listed.
    pub(crate) fn all(address: &Address) -> Result<Vec<u32>, ProfilerError> {
        let inodes = inodes(address)?;
        if inodes.is_empty() { Ok(Vec::new()) } else { holders(&inodes) }
    }

    /// The address under which this process reaches it: who hands requests on may have another root.
    pub(crate) fn reached(&self, address: &Address, by: u32) -> Address {
        let Address::Unix(path) = address else { return address.clone() };
        if path.as_os_str().as_bytes().starts_with(b"@") {
            return address.clone();
        }
        let full = |of: u32| {
            let folder = PathBuf::from(format!("/proc/{of}"));
            match path.strip_prefix("/") {
                Ok(rest) => folder.join("root").join(rest),
                Err(_) => folder.join("cwd").join(path),
            }
        };
        let candidates = [path.clone(), full(by), full(self.application.pid)];
        Address::Unix(
            candidates.into_iter().find(|path| path.exists() && path.is_absolute()).unwrap_or_else(|| path.clone()),
        )
    }
}

/// Of the sockets that listen there.
fn inodes(address: &Address) -> Result<HashSet<u64>, ProfilerError> {
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

fn read(path: &'static str) -> Result<Vec<u8>, ProfilerError> {
    fs::read(path).map_err(|source| ProfilerError::Io { doing: "cannot read", path: path.into(), source })
}

/// Inodes of sockets that listen at a path: proc_net_unix(5), `Num RefCount Protocol Flags Type St Inode Path`.
fn unix_inodes(table: &[u8], path: &Path) -> HashSet<u64> {
    let lines = table.split(|byte| *byte == b'\n');
    lines.filter_map(|line| unix_inode(line, path.as_os_str().as_bytes())).collect()
}

fn unix_inode(line: &[u8], path: &[u8]) -> Option<u64> {
    // A path may hold blanks.
    let mut fields = line.splitn(8, |byte| *byte == b' ').map(<[u8]>::trim_ascii);
    let flags = fields.nth(3)?;
    let flags = u64::from_str_radix(std::str::from_utf8(flags).ok()?, 16).ok()?;
    let rest: Vec<&[u8]> = fields.skip(2).collect();
    let rest = rest.join(&b' ');
    let rest = rest.trim_ascii_start();
    let (inode, own) = rest.split_at(rest.iter().position(|byte| *byte == b' ')?);
    (flags & ACCEPTS != 0 && own.get(1..)? == path).then(|| std::str::from_utf8(inode).ok()?.parse().ok()).flatten()
}

/// Inodes of sockets that listen at an address, or at all of its port: proc_net_tcp(5).
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
    let inode = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        let (ip, port) = fields.nth(1)?.split_once(':')?;
        let is_at = wanted.iter().any(|wanted| wanted == ip) && u16::from_str_radix(port, 16).ok()? == address.port();
        let is_it = is_at && fields.nth(1)? == LISTENS;
        is_it.then(|| fields.nth(5)?.parse().ok()).flatten()
    };
    table.lines().filter_map(inode).collect()
}

/// Processes that hold one of these sockets.
fn holders(inodes: &HashSet<u64>) -> Result<Vec<u32>, ProfilerError> {
    let failed = |source| ProfilerError::Io { doing: "cannot list", path: PathBuf::from("/proc"), source };
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

/// Whose parent does not hold it too. The first process holds sockets for others.
fn master(holders: &[u32], parent: impl Fn(u32) -> Option<u32>) -> Option<u32> {
    let services: Vec<u32> = holders.iter().copied().filter(|pid| *pid != INIT).collect();
    let is_first = |pid: &u32| parent(*pid).is_none_or(|parent| !services.contains(&parent));
    services.iter().copied().filter(is_first).min().or_else(|| holders.first().copied())
}

pub(crate) fn parent(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

#[cfg(test)]
mod tests;
