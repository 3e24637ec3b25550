//! The principal type is [`Listeners`]: what this process listens at. They outlive a configuration.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::bind;
use super::error::ServeError;
use super::found::{self, Found};
use super::wire::Given;
use crate::config::address_text;
use crate::plan::{ListenSocket, Listener};
use crate::settings::ListenAddress;

/// What this process listens at.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    held: Vec<Held>,
    made: u64,
}

/// One of them.
#[derive(Debug)]
struct Held {
    listener: Arc<Listener>,
    /// Of a Unix socket that is taken away in the end: which file it was, as another process may have put its own there.
    file: Option<SocketFile>,
}

#[derive(Debug, PartialEq, Eq)]
struct SocketFile {
    path: PathBuf,
    device: u64,
    inode: u64,
}

/// An address that is to be listened at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) address: &'a ListenAddress,
    /// Whose it is, for sockets of systemd that go by a name.
    pub(super) name: &'a str,
    /// Of a Unix socket.
    pub(super) mode: u32,
    /// How many sockets it takes.
    pub(super) threads: usize,
}

/// What became of the addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changed {
    pub(super) kept: usize,
    pub(super) new: usize,
    pub(super) gone: usize,
}

// === impl Listeners ===

impl Listeners {
    /// Listens at these addresses, in this order, and at no others; or, with an error, at those as before.
    ///
    /// Those that go are given up before this returns: what waits to be accepted is left to whoever else has their sockets.
    pub(super) fn become_these(
        &mut self,
        wanted: &[Wanted<'_>],
        found: &mut Vec<Found>,
    ) -> Result<(Vec<Arc<Listener>>, Changed), ServeError> {
        let mut new: Vec<Held> = Vec::new();
        for wanted in wanted {
            if self.at(wanted.address).is_some() {
                continue;
            }
            self.made += 1;
            match open(wanted, self.made, found) {
                Ok(held) => new.push(held),
                Err(source) => {
                    new.iter().for_each(Held::take_away);
                    return Err(ServeError::Listen { address: address_text(wanted.address), source });
                }
            }
        }
        for wanted in wanted {
            if let ListenAddress::Unix(path) = wanted.address
                && self.held.iter().any(|held| held.listener.address == *wanted.address && held.file.is_some())
                && let Err(source) = bind::set_mode(path, wanted.mode)
            {
                eprintln!("unladen: the mode of {} stays as it is: {source}", path.display());
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

    /// Listens no longer; the threads do not either, once they follow a plan without these.
    pub(super) fn give_up(&mut self) {
        self.held.iter().for_each(Held::take_away);
        self.held.clear();
    }

    /// Leaves all of it to another process that has them too.
    pub(super) fn leave(&mut self) {
        self.held.clear();
    }

    /// All sockets, and what a process that takes over has to know of them.
    pub(super) fn sockets(&self) -> Vec<(&ListenSocket, Given)> {
        let of = |held: &'_ Held| {
            let is_ours = held.file.is_some() || matches!(held.listener.address, ListenAddress::Tcp(_));
            Given { address: address_text(&held.listener.address), is_ours }
        };
        self.held.iter().flat_map(|held| held.listener.sockets.iter().map(move |socket| (socket, of(held)))).collect()
    }
}

fn open(wanted: &Wanted<'_>, id: u64, found: &mut Vec<Found>) -> io::Result<Held> {
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
    // Sockets of another process may be fewer than the threads; those of a Unix socket are one.
    let mut next = 0;
    while sockets.len() < wanted.threads {
        let more = match wanted.address {
            ListenAddress::Tcp(address) => bind::one_more(*address).ok(),
            ListenAddress::Unix(_) => None,
        };
        // systemd's are alone at their address unless ReusePort= says otherwise: then two threads share one.
        let more = more.map_or_else(|| found::again(&sockets[next]), Ok)?;
        sockets.push(more);
        next += 1;
    }
    let file = match wanted.address {
        ListenAddress::Unix(path) if is_ours => SocketFile::at(path),
        _ => None,
    };
    let listener = Listener { id, address: wanted.address.clone(), sockets };
    Ok(Held { listener: Arc::new(listener), file })
}

// === impl Held ===

impl Held {
    /// Takes its file away, so that nobody comes any more.
    fn take_away(&self) {
        if let Some(file) = &self.file
            && SocketFile::at(&file.path).as_ref() == Some(file)
        {
            let _ = fs::remove_file(&file.path);
        }
    }
}

impl SocketFile {
    fn at(path: &Path) -> Option<Self> {
        let metadata = fs::symlink_metadata(path).ok()?;
        Some(Self { path: path.to_owned(), device: metadata.dev(), inode: metadata.ino() })
    }
}
