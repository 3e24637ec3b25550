//! The principal type is [`FileWatch`]: tells when the configuration may have changed, or a file that it names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;
use std::{io, thread};

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

use super::event::Event;

/// An editor writes a file in several steps, and what puts several files in place takes a while.
const QUIET: Duration = Duration::from_millis(100);

/// Tells of each change in the files' folders, for as long as the process lives.
///
/// The folders, as editors put another file in its place; and those of the files they link to, as Kubernetes and
/// certbot switch a link above it.
#[derive(Debug)]
pub(super) struct FileWatch {
    // Shared with the thread that reads it.
    inotify: Arc<Inotify>,
}

// === impl FileWatch ===

impl FileWatch {
    pub(super) fn start(events: Sender<Event>) -> io::Result<Self> {
        // Blocking: the thread has nothing else to do.
        let inotify = Arc::new(Inotify::init(InitFlags::IN_CLOEXEC)?);
        let reader = inotify.clone();
        let pass = move || {
            loop {
                match reader.read_events() {
                    Ok(_) => {}
                    Err(Errno::EINTR) => continue,
                    // Nothing more will be told; SIGHUP is.
                    Err(_) => return,
                }
                thread::sleep(QUIET);
                if events.send(Event::FileChanged).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("file-watch".into()).spawn(pass)?;
        Ok(Self { inotify })
    }

    /// Watches these too. What is watched already goes on to be: that of files which are no longer named costs a look
    /// at the others.
    ///
    /// # Errors
    /// The first that cannot be watched, after trying all.
    pub(super) fn watch(&self, files: &[PathBuf]) -> io::Result<()> {
        // Not what is being written, which is for later: a log may lie beside it.
        let changes = AddWatchFlags::IN_CLOSE_WRITE | AddWatchFlags::IN_MOVED_TO | AddWatchFlags::IN_CREATE;
        let mut result = Ok(());
        let mut all = BTreeSet::new();
        for file in files {
            match folders(file) {
                Ok(found) => all.extend(found),
                Err(error) => result = result.and(Err(error)),
            }
        }
        for folder in all {
            let added = self.inotify.add_watch(&folder, changes | AddWatchFlags::IN_ONLYDIR);
            result = result.and(added.map(drop).map_err(io::Error::from));
        }
        result
    }
}

fn folders(file: &Path) -> io::Result<BTreeSet<PathBuf>> {
    let named = std::path::absolute(file)?;
    let real = file.canonicalize()?;
    Ok([named, real].iter().filter_map(|path| Some(path.parent()?.to_owned())).collect())
}
