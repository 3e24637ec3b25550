//! The principal type is [`Changes`]: notifies of changes of a file.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::EventFd;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use tokio::sync::Notify;

/// Notifies of changes in a file's folder, and in that of the file it links to: editors replace the file, and
/// Kubernetes switches a link above it.
///
/// A thread waits for them: the runtime accepts such a descriptor only from `unsafe` code.
#[derive(Debug)]
pub(super) struct Changes {
    inotify: Arc<Inotify>,
    told: Arc<Notify>,
    over: Arc<EventFd>,
}

// === impl Changes ===

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
