//! Makes listening sockets.

use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;
use std::{fs, io, thread};

use nix::sys::stat::{Mode, fchmod};
use socket2::{Domain, SockAddr, Socket, Type};

use crate::plan::ListenSocket;

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
        return Err(io::Error::other("there is something by that name, and it is no socket"));
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

#[cfg(test)]
mod tests;
