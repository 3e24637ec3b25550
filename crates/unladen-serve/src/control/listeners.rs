//! The principal type is [`Listeners`]: the sockets this process listens at, which outlive a configuration.

use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, io, thread};

use listenfd::ListenFd;
use nix::sys::stat::{Mode, fchmod};
use serde::{Deserialize, Serialize};
use socket2::{Domain, SockAddr, SockRef, Socket, Type};
use unladen_serve_config::{ListenAddress, address_text};

use super::error::ServeError;
use crate::plan::{ListenSocket, Listener};
use crate::say::say;

#[derive(Debug, Default)]
pub(super) struct Listeners {
    held: Vec<Held>,
    made: u64,
}

#[derive(Debug)]
struct Held {
    listener: Arc<Listener>,
    /// Unix socket file to remove at the end, identified by inode as another process may have put its own there.
    file: Option<SocketFile>,
}

#[derive(Debug, PartialEq, Eq)]
struct SocketFile {
    path: PathBuf,
    device: u64,
    inode: u64,
}

#[derive(Debug)]
struct Opened {
    sockets: Vec<ListenSocket>,
    file: Option<SocketFile>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) address: &'a ListenAddress,
    /// Matched with the names of systemd's sockets.
    pub(super) name: &'a str,
    /// Mode of a Unix socket.
    pub(super) mode: u32,
    pub(super) threads: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) kept: usize,
    pub(super) new: usize,
    pub(super) gone: usize,
}

impl Listeners {
    /// Listens at these addresses, in this order, and at no others; on an error, at those as before.
    ///
    /// Addresses no longer wanted are closed before this returns: connections not yet accepted are left to whoever else
    /// has their sockets.
    pub(super) fn become_these(
        &mut self,
        wanted: &[Wanted<'_>],
        found: &mut Vec<Found>,
    ) -> Result<(Vec<Arc<Listener>>, Changed), ServeError> {
        let mut new: Vec<(Opened, &Wanted<'_>)> = Vec::new();
        for wanted in wanted {
            if self.at(wanted.address).is_some() {
                continue;
            }
            match open(wanted, found) {
                Ok(opened) => new.push((opened, wanted)),
                Err(source) => {
                    new.iter().filter_map(|(opened, _)| opened.file.as_ref()).for_each(SocketFile::take_away);
                    return Err(ServeError::Listen { address: address_text(wanted.address), source });
                }
            }
        }
        // Only once all are there: connections to an extra socket of an address in use would be lost with it.
        let mut held = Vec::new();
        for (Opened { sockets, file }, wanted) in new {
            self.made += 1;
            let sockets = enough(sockets, wanted)
                .map_err(|source| ServeError::Listen { address: address_text(wanted.address), source })?;
            let listener = Listener { id: self.made, address: wanted.address.clone(), sockets };
            held.push(Held { listener: Arc::new(listener), file });
        }
        let mut new = held;
        for wanted in wanted {
            if let ListenAddress::Unix(path) = wanted.address
                && self.held.iter().any(|held| held.listener.address == *wanted.address && held.file.is_some())
                && let Err(source) = set_mode(path, wanted.mode)
            {
                say!("unladen: the mode of {} stays as it is: {source}", path.display());
            }
        }
        let mut changed = Changed { new: new.len(), ..Changed::default() };
        self.held.retain(|held| {
            let stays = wanted.iter().any(|wanted| *wanted.address == held.listener.address);
            if stays {
                changed.kept += 1;
            } else {
                changed.gone += 1;
                held.take_away();
            }
            stays
        });
        self.held.append(&mut new);
        Ok((wanted.iter().filter_map(|wanted| self.at(wanted.address).cloned()).collect(), changed))
    }

    fn at(&self, address: &ListenAddress) -> Option<&Arc<Listener>> {
        self.held.iter().map(|held| &held.listener).find(|listener| listener.address == *address)
    }

    /// Stops listening; so do the threads once they follow a plan without these.
    pub(super) fn give_up(&mut self) {
        self.held.iter().for_each(Held::take_away);
        self.held.clear();
    }

    /// Leaves the sockets, and their files, to another process that has them too.
    pub(super) fn leave(&mut self) {
        self.held.clear();
    }

    pub(super) fn sockets(&self) -> Vec<(&ListenSocket, Given)> {
        let of = |held: &'_ Held| {
            let is_ours = held.file.is_some() || matches!(held.listener.address, ListenAddress::Tcp(_));
            Given { address: address_text(&held.listener.address), is_ours }
        };
        self.held.iter().flat_map(|held| held.listener.sockets.iter().map(move |socket| (socket, of(held)))).collect()
    }
}

fn open(wanted: &Wanted<'_>, found: &mut Vec<Found>) -> io::Result<Opened> {
    let there = take(found, wanted.address, wanted.name);
    let is_ours = there.iter().all(|found| found.is_ours);
    let mut sockets: Vec<ListenSocket> = there.into_iter().map(|found| found.socket).collect();
    if sockets.is_empty() {
        sockets = match wanted.address {
            ListenAddress::Tcp(address) => tcp(*address, wanted.threads)?,
            ListenAddress::Unix(path) => vec![unix(path, wanted.mode)?],
        };
    } else if let (ListenAddress::Unix(path), true) = (wanted.address, is_ours) {
        set_mode(path, wanted.mode)?;
    }
    let file = match wanted.address {
        ListenAddress::Unix(path) if is_ours => SocketFile::at(path),
        _ => None,
    };
    Ok(Opened { sockets, file })
}

/// At least one for each thread: the previous process may have had fewer; a Unix address has only one socket.
fn enough(mut sockets: Vec<ListenSocket>, wanted: &Wanted<'_>) -> io::Result<Vec<ListenSocket>> {
    let mut next = 0;
    while sockets.len() < wanted.threads {
        let more = match wanted.address {
            ListenAddress::Tcp(address) => one_more(*address).ok(),
            ListenAddress::Unix(_) => None,
        };
        // systemd's are alone at their address unless ReusePort= is set: then two threads share one.
        let more = more.map_or_else(|| again(&sockets[next]), Ok)?;
        sockets.push(more);
        next += 1;
    }
    Ok(sockets)
}

impl Held {
    fn take_away(&self) {
        self.file.iter().for_each(SocketFile::take_away);
    }
}

impl SocketFile {
    fn take_away(&self) {
        if Self::at(&self.path).as_ref() == Some(self) {
            let _ = fs::remove_file(&self.path);
        }
    }

    fn at(path: &Path) -> Option<Self> {
        let metadata = fs::symlink_metadata(path).ok()?;
        Some(Self { path: path.to_owned(), device: metadata.dev(), inode: metadata.ino() })
    }
}

/// Connections that may wait to be accepted; the kernel caps it at `net.core.somaxconn`. PHP opens one for each call.
const BACKLOG: i32 = 4096;
/// Tries to bind an address: one just given up may be in use until its threads have closed it.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(25);

/// Sockets of one address, one for each thread: the kernel spreads connections over them.
pub(super) fn tcp(address: SocketAddr, count: usize) -> io::Result<Vec<ListenSocket>> {
    // With SO_REUSEPORT, another server of this user would go unnoticed, and get half of the connections.
    is_free(address)?;
    (0..count).map(|_| one_more(address)).collect()
}

fn is_free(address: SocketAddr) -> io::Result<()> {
    for left in (0..TRIES).rev() {
        match socket(address).and_then(|socket| socket.bind(&address.into())) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && left > 0 => thread::sleep(PAUSE),
            other => return other,
        }
    }
    Ok(())
}

fn socket(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_reuse_address(true)?;
    if address.is_ipv6() {
        // `[::]` is IPv6 only, whatever the system's default; IPv4 is `0.0.0.0`.
        socket.set_only_v6(true)?;
    }
    Ok(socket)
}

/// Another socket of an address that this process, or the one before it, already has sockets of.
pub(super) fn one_more(address: SocketAddr) -> io::Result<ListenSocket> {
    let socket = socket(address)?;
    socket.set_reuse_port(true)?;
    // Accepted sockets inherit it: saves a system call for each.
    socket.set_tcp_nodelay(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(ListenSocket::Tcp(socket.into()))
}

/// A Unix socket of this mode; replaces what a dead process left.
pub(super) fn unix(path: &Path, mode: u32) -> io::Result<ListenSocket> {
    make_way(path)?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    // The kernel takes the file's mode from here, less the umask, so nobody can open it before the mode is right.
    fchmod(&socket, Mode::from_bits_truncate(mode))?;
    socket.bind(&SockAddr::unix(path)?)?;
    set_mode(path, mode)?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(ListenSocket::Unix(socket.into()))
}

pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

fn make_way(path: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    if !metadata.file_type().is_socket() {
        return Err(io::Error::other("something with that name exists, but is not a socket"));
    }
    match connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        // Any other result means that somebody is there.
        _ => Err(io::Error::from(io::ErrorKind::AddrInUse)),
    }
}

/// Connects without blocking: a full backlog, of a process that accepts nothing, fails at once.
fn connect(path: &Path) -> io::Result<()> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(path)?)
}

/// A listening socket older than this process.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) socket: ListenSocket,
    /// As the kernel says.
    pub(super) address: ListenAddress,
    /// systemd's `FileDescriptorName=`, or the configured address it was handed over for, which may differ from
    /// `address`.
    pub(super) name: Option<String>,
    /// Whether it comes from a previous Unladen process, not systemd: then the file of a Unix socket is removed at the
    /// end.
    pub(super) is_ours: bool,
}

impl Found {
    /// An error if it is no listening stream socket.
    pub(super) fn new(socket: OwnedFd, name: Option<String>, is_ours: bool) -> io::Result<Self> {
        let wrong = |what: &str| io::Error::other(format!("file descriptor {name:?} {what}"));
        let (address, is_unix) = {
            let known = SockRef::from(&socket);
            if !known.is_listener().unwrap_or(false) || known.r#type()? != socket2::Type::STREAM {
                return Err(wrong("is not a listening stream socket"));
            }
            known.set_nonblocking(true)?;
            let address = known.local_addr()?;
            match (address.as_socket(), address.as_pathname()) {
                (Some(address), _) => {
                    known.set_tcp_nodelay(true)?;
                    (ListenAddress::Tcp(address), false)
                }
                (None, Some(path)) => (ListenAddress::Unix(path.to_owned()), true),
                (None, None) => return Err(wrong("listens at an address that is neither IP nor a path")),
            }
        };
        let socket = if is_unix { ListenSocket::Unix(socket.into()) } else { ListenSocket::Tcp(socket.into()) };
        Ok(Self { socket, address, name, is_ours })
    }

    fn is_at(&self, address: &ListenAddress) -> bool {
        if self.name.as_ref() == Some(&address_text(address)) {
            return true;
        }
        match (&self.address, address) {
            (ListenAddress::Unix(path), ListenAddress::Unix(other)) => {
                let plain = |path: &Path| path.canonicalize().ok();
                path == other || plain(path).is_some_and(|path| plain(other) == Some(path))
            }
            (one, other) => one == other,
        }
    }
}

/// Takes the sockets of an address; if there are none, those named as the `[[outbound]]`.
pub(super) fn take(found: &mut Vec<Found>, address: &ListenAddress, name: &str) -> Vec<Found> {
    let by_address: Vec<Found> = found.extract_if(.., |one| one.is_at(address)).collect();
    if !by_address.is_empty() {
        return by_address;
    }
    found.extract_if(.., |one| one.name.as_deref() == Some(name)).collect()
}

/// Sockets that systemd opened (sd_listen_fds(3)). To be called once, while there is one thread.
pub(super) fn from_systemd() -> Vec<Found> {
    // Meant for another process, such as a shell that systemd started.
    if env::var("LISTEN_PID").ok().and_then(|pid| pid.parse().ok()) != Some(std::process::id()) {
        return Vec::new();
    }
    let names = env::var("LISTEN_FDNAMES").unwrap_or_default();
    let mut names = names.split(':').map(str::to_owned);
    let mut given = ListenFd::from_env();
    let mut found = Vec::new();
    for index in 0..given.len() {
        let name = names.next().filter(|name| !name.is_empty());
        let socket = match (given.take_tcp_listener(index), given.take_unix_listener(index)) {
            (Ok(Some(tcp)), _) => Ok(OwnedFd::from(tcp)),
            (_, Ok(Some(unix))) => Ok(OwnedFd::from(unix)),
            (Err(error), _) | (_, Err(error)) => Err(error),
            (Ok(None), Ok(None)) => continue,
        };
        match socket.and_then(|socket| Found::new(socket, name, false)) {
            Ok(one) => found.push(one),
            Err(error) => say!("unladen: a socket from systemd is ignored: {error}"),
        }
    }
    found
}

pub(super) fn again(socket: &ListenSocket) -> io::Result<ListenSocket> {
    Ok(match socket {
        ListenSocket::Tcp(socket) => ListenSocket::Tcp(socket.try_clone()?),
        ListenSocket::Unix(socket) => ListenSocket::Unix(UnixListener::try_clone(socket)?),
    })
}

impl AsFd for ListenSocket {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        match self {
            Self::Tcp(socket) => socket.as_fd(),
            Self::Unix(socket) => socket.as_fd(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Given {
    /// The configured address; systemd's socket may be at another.
    pub(super) address: String,
    /// Whether its file, if any, is to be removed at the end.
    pub(super) is_ours: bool,
}

#[cfg(test)]
mod tests;
