//! The principal type is [`Listeners`]: the sockets this process listens at, which outlive a configuration.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use unladen_serve_config::{ListenAddress, address_text};

use super::error::ServeError;
use super::found::Found;
use super::wire::Given;
use super::{bind, found};
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
                && let Err(source) = bind::set_mode(path, wanted.mode)
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
    let there = found::take(found, wanted.address, wanted.name);
    let is_ours = there.iter().all(|found| found.is_ours);
    let mut sockets: Vec<ListenSocket> = there.into_iter().map(|found| found.socket).collect();
    if sockets.is_empty() {
        sockets = match wanted.address {
            ListenAddress::Tcp(address) => bind::tcp(*address, wanted.threads)?,
            ListenAddress::Unix(path) => vec![bind::unix(path, wanted.mode)?],
        };
    } else if let (ListenAddress::Unix(path), true) = (wanted.address, is_ours) {
        bind::set_mode(path, wanted.mode)?;
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
            ListenAddress::Tcp(address) => bind::one_more(*address).ok(),
            ListenAddress::Unix(_) => None,
        };
        // systemd's are alone at their address unless ReusePort= is set: then two threads share one.
        let more = more.map_or_else(|| found::again(&sockets[next]), Ok)?;
        sockets.push(more);
        next += 1;
    }
    Ok(sockets)
}

// === impl Held ===

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
