//! The principal type is [`FileWatch`]: tells when the configuration may have changed, or a file that it names.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;
use std::{fs, io, thread};

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

use super::event::Event;

/// An editor writes a file in several steps, and what puts several files in place takes a while.
const QUIET: Duration = Duration::from_millis(100);

/// Links on the way to a file, as many as the kernel follows (path_resolution(7)).
const LINKS: usize = 40;

/// Tells of each change in the files' folders, for as long as the process lives.
///
/// The folders, as editors put another file in its place; and those of all links on the way there, as Kubernetes and
/// certbot switch one beside it, and whoever deploys by releases one above its folder.
#[derive(Debug)]
pub(super) struct FileWatch {
    // Shared with the thread that reads it.
    inotify: Arc<Inotify>,
}

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
    /// at the others. To be called again before the files are read: by then a folder may be another one of that name.
    ///
    /// # Errors
    /// The first that cannot be watched, or is not there, after trying all.
    pub(super) fn watch(&self, files: &[PathBuf]) -> io::Result<()> {
        // Not what is being written, which is for later: a log may lie beside it.
        let changes = AddWatchFlags::IN_CLOSE_WRITE | AddWatchFlags::IN_MOVED_TO | AddWatchFlags::IN_CREATE;
        // A folder that another one takes the place of; that one is removed is told in any case.
        let changes = changes | AddWatchFlags::IN_MOVE_SELF;
        let mut result = Ok(());
        let mut all = BTreeSet::new();
        for file in files {
            let (found, is_there) = folders(file);
            all.extend(found);
            result = result.and(is_there);
        }
        for folder in all {
            let added = self.inotify.add_watch(&folder, changes | AddWatchFlags::IN_ONLYDIR);
            result = result.and(added.map(drop).map_err(io::Error::from));
        }
        result
    }
}

/// Where a change may be one of this file, and whether it is there. Of folders that are missing, the one is watched in
/// which they are going to be.
fn folders(file: &Path) -> (BTreeSet<PathBuf>, io::Result<()>) {
    let named = match std::path::absolute(file) {
        Ok(named) => named,
        Err(error) => return (BTreeSet::new(), Err(error)),
    };
    let mut folders: BTreeSet<PathBuf> =
        named.ancestors().skip(1).find(|folder| folder.is_dir()).into_iter().map(Path::to_owned).collect();
    let mut rest: Vec<OsString> = parts(&named);
    let (mut at, mut links) = (PathBuf::from("/"), 0);
    while let Some(part) = rest.pop() {
        if part == ".." {
            at.pop();
            continue;
        }
        let next = at.join(part);
        match fs::read_link(&next) {
            Ok(target) if links < LINKS => {
                links += 1;
                folders.insert(at.clone());
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                rest.extend(parts(&target));
            }
            _ => at = next,
        }
    }
    folders.extend(at.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_owned));
    (folders, file.metadata().map(drop))
}

/// The last first.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    parts.map(|part| part.as_os_str().to_owned()).collect()
}

#[cfg(test)]
mod tests;
