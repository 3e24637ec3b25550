//! The principal type is [`Found`]: a listening socket older than this process.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::{env, io};

use listenfd::ListenFd;
use socket2::SockRef;
use unladen_serve_config::{ListenAddress, address_text};

use crate::plan::ListenSocket;
use crate::say::say;

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

// === impl Found ===

impl Found {
    /// An error if it is no listening stream socket.
    pub(super) fn new(socket: OwnedFd, name: Option<String>, is_ours: bool) -> io::Result<Self> {
        let wrong = |what: &str| io::Error::other(format!("file descriptor {name:?} {what}"));
        let (address, is_unix) = {
            let known = SockRef::from(&socket);
            if !known.is_listener().unwrap_or(false) || known.r#type()? != socket2::Type::STREAM {
                return Err(wrong("is no stream socket that listens"));
            }
            known.set_nonblocking(true)?;
            let address = known.local_addr()?;
            match (address.as_socket(), address.as_pathname()) {
                (Some(address), _) => {
                    known.set_tcp_nodelay(true)?;
                    (ListenAddress::Tcp(address), false)
                }
                (None, Some(path)) => (ListenAddress::Unix(path.to_owned()), true),
                (None, None) => return Err(wrong("listens at an address that is neither of IP nor a path")),
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
            Err(error) => say!("unladen: a socket of systemd's is left alone: {error}"),
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
