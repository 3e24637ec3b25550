//! The principal type is [`EndpointFile`]: a file that lists the endpoints, read again whenever it may have changed.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, thread};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::EventFd;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use tokio::sync::Notify;

use super::error::DiscoverError;
use super::found::Found;
use super::list;

/// Maximum file size; a larger one is a mistake.
const LARGEST: u64 = 4 << 20;
/// Quiet time after a change, so that its steps are read once.
const QUIET: Duration = Duration::from_millis(100);
/// Interval of additional checks: some file systems notify of no changes.
const LOOK: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct EndpointFile {
    path: PathBuf,
    /// `None` before the first read, or without change notifications.
    changes: Option<Changes>,
    is_new: bool,
    stamp: Option<Stamp>,
}

/// Identifies a version: device, inode, length, and modification and change times in s and ns.
type Stamp = (u64, u64, u64, [i64; 4]);

impl EndpointFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, changes: None, is_new: true, stamp: None }
    }

    /// Its endpoints: the first time at once, then whenever they may have changed.
    pub(super) async fn next(&mut self) -> Result<Vec<Found>, DiscoverError> {
        if std::mem::take(&mut self.is_new) {
            self.changes = Changes::new().ok();
            self.stamp = self.watch();
            return read(&self.path);
        }
        loop {
            self.wait().await;
            let stamp = self.watch();
            // Other files in its folder may have changed.
            if stamp.is_none() || stamp != self.stamp {
                self.stamp = stamp;
                return read(&self.path);
            }
        }
    }

    /// Renews the watch, before a read, so that later changes are noticed; each time, as links may lead elsewhere. If
    /// it cannot be watched, it is read all the same.
    fn watch(&self) -> Option<Stamp> {
        if let Some(changes) = &self.changes {
            let _ = changes.watch(&self.path);
        }
        let of = |file: fs::Metadata| {
            let times = [file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec()];
            (file.dev(), file.ino(), file.len(), times)
        };
        fs::metadata(&self.path).ok().map(of)
    }

    async fn wait(&mut self) {
        let told = async {
            match &self.changes {
                Some(changes) => changes.next().await,
                None => std::future::pending().await,
            }
        };
        if tokio::time::timeout(LOOK, told).await.is_ok() {
            tokio::time::sleep(QUIET).await;
        }
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<Found>, DiscoverError> {
    let bytes = bytes(path).map_err(|source| DiscoverError::Read { file: path.to_owned(), source })?;
    list::parse(&bytes).map_err(|error| DiscoverError::Wrong {
        file: path.to_owned(),
        line: error.line(),
        column: error.column(),
        why: list::why(&error),
    })
}

/// Refuses other than regular files: a named pipe would block, and a device not end.
fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST { Err(io::Error::other("it is larger than 4 MiB")) } else { Ok(bytes) }
}

/// Notifies of changes in a file's folder, and in that of the file it links to: editors replace the file, and
/// Kubernetes switches a link above it.
///
/// A thread waits for them: the runtime accepts such a descriptor only from `unsafe` code.
#[derive(Debug)]
struct Changes {
    inotify: Arc<Inotify>,
    told: Arc<Notify>,
    over: Arc<EventFd>,
}

impl Changes {
    /// Watches nothing yet.
    ///
    /// # Errors
    /// If the system allows no more watches, or no more threads.
    pub(super) fn new() -> io::Result<Self> {
        let inotify = Arc::new(Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK)?);
        let (told, over) = (Arc::new(Notify::new()), Arc::new(EventFd::new()?));
        let changes = Self { inotify: inotify.clone(), told: told.clone(), over: over.clone() };
        thread::Builder::new().name("endpoint-file".into()).spawn(move || pass_on(&inotify, &told, &over))?;
        Ok(changes)
    }

    /// Also watches this file, wherever it is now. A missing file is no error: its folder is watched.
    ///
    /// # Errors
    /// If a folder cannot be watched.
    pub(super) fn watch(&self, file: &Path) -> io::Result<()> {
        let changes = AddWatchFlags::IN_CLOSE_WRITE
            | AddWatchFlags::IN_MOVED_TO
            | AddWatchFlags::IN_MOVED_FROM
            | AddWatchFlags::IN_CREATE
            | AddWatchFlags::IN_DELETE;
        let mut result = Ok(());
        for folder in folders(file) {
            let added = self.inotify.add_watch(&folder, changes | AddWatchFlags::IN_ONLYDIR);
            result = result.and(added.map(drop).map_err(io::Error::from));
        }
        result
    }

    pub(super) async fn next(&self) {
        self.told.notified().await;
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        // It cannot fail: the count is far from its bound.
        let _ = self.over.write(1);
    }
}

/// Runs until the end, or until the system reports no more changes; then only the clock triggers reads.
fn pass_on(inotify: &Inotify, told: &Notify, over: &EventFd) {
    loop {
        let mut fds = [PollFd::new(inotify.as_fd(), PollFlags::POLLIN), PollFd::new(over.as_fd(), PollFlags::POLLIN)];
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return,
        }
        if fds[1].any().unwrap_or(true) {
            return;
        }
        match inotify.read_events() {
            Ok(_) => told.notify_one(),
            Err(Errno::EAGAIN | Errno::EINTR) => {}
            Err(_) => return,
        }
    }
}

fn folders(file: &Path) -> BTreeSet<PathBuf> {
    let real = file.canonicalize().ok();
    [Some(file.to_owned()), real].iter().flatten().filter_map(|path| Some(path.parent()?.to_owned())).collect()
}

#[cfg(test)]
mod tests;
