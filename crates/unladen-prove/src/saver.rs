//! The principal type is [`Saver`]: it copies originals into the folder of the journal.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_64;

use crate::error::Fault;

/// Copies originals into the folder of the journal, each under its own name, and syncs them.
#[derive(Debug)]
pub struct Saver<'a> {
    folder: &'a Path,
    count: usize,
    pub(crate) claims: Vec<Claim>,
}

impl<'a> Saver<'a> {
    pub(crate) fn new(folder: &'a Path) -> Self {
        Self { folder, count: 0, claims: Vec::new() }
    }

    /// Saves these bytes; returns the name below [`folder`](Self::folder). Fails when they cannot be written.
    pub fn keep(&mut self, bytes: &[u8]) -> Result<String, Fault> {
        let name = format!("kept-{}", self.count);
        self.count += 1;
        let path = self.folder.join(&name);
        write_new(&path, bytes).map_err(Fault::file("write", path))?;
        Ok(name)
    }

    /// Keeps other runs from switching this file, before anything of it is read. Fails if another run has it.
    pub(crate) fn claim(&mut self, path: &Path) -> Result<(), Fault> {
        // Patches may share one.
        if !self.claims.iter().any(|claim| claim.path == path) {
            self.claims.extend(Claim::take(path)?);
        }
        Ok(())
    }

    /// Folder of the saved files.
    pub fn folder(&self) -> PathBuf {
        self.folder.to_owned()
    }
}

pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Wait for a lock or a claim. A child of a killed run holds it until it has executed its command, a moment later.
pub(crate) const PATIENCE: Duration = Duration::from_millis(500);

/// The right to switch a file, until this is dropped, or the process ends in any way.
///
/// A journal keeps two runs of one experiment apart. Two experiments that switch the same file have separate journals:
/// the second would take the first one's change for the original, and restore that.
///
/// It is the name of an abstract socket (unix(7)), which all users' processes share and which leaves nothing behind.
/// Containers with their own network are only kept apart inside.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) path: PathBuf,
    /// Never receives anything.
    _socket: UnixDatagram,
}

impl Claim {
    /// `None` if its folder is missing, which the next access to the file reports; or if there are no such sockets
    /// here, and experiments are not kept apart. Fails if another run has it.
    pub(crate) fn take(path: &Path) -> Result<Option<Self>, Fault> {
        let Some(name) = name_of(path) else { return Ok(None) };
        let started = Instant::now();
        loop {
            match SocketAddr::from_abstract_name(&name).and_then(|address| UnixDatagram::bind_addr(&address)) {
                Ok(socket) => return Ok(Some(Self { path: path.to_owned(), _socket: socket })),
                Err(error) if error.kind() != io::ErrorKind::AddrInUse => return Ok(None),
                Err(_) if started.elapsed() < PATIENCE => std::thread::sleep(PATIENCE / 20),
                Err(_) => {
                    return Err(Fault::Unsafe {
                        path: path.to_owned(),
                        is: "being switched by another experiment".to_owned(),
                        instead: "wait for its end",
                    });
                }
            }
        }
    }
}

/// Equal for all paths to the file, and short enough for the name of a socket, of at most 107 bytes.
fn name_of(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let found = folder.metadata().ok()?;
    let name = path.file_name()?.as_encoded_bytes();
    Some(format!("unladen-prove/{:x}/{:x}/{:016x}", found.dev(), found.ino(), xxh3_64(name)))
}

#[cfg(test)]
mod tests;
