//! The principal type is [`Event`]: what the control thread reacts to.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;
use std::{fs, io, thread};

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR2};
use signal_hook::iterator::Signals;

use super::handover::Successor;

#[derive(Debug)]
pub(super) enum Event {
    /// SIGTERM or SIGINT.
    Stop,
    /// SIGHUP.
    Reload,
    /// SIGUSR2.
    HandOver,
    /// Something changed in a watched folder.
    FileChanged,
    Began,
    Ended {
        thread: usize,
    },
    Successor(Result<Successor, String>),
}

pub(super) fn pass_on(events: Sender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM, SIGUSR2])?;
    let pass = move || {
        for signal in signals.forever() {
            let event = match signal {
                SIGHUP => Event::Reload,
                SIGUSR2 => Event::HandOver,
                _ => Event::Stop,
            };
            if events.send(event).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(pass).map(drop)
}

/// Wait after a change: an editor writes a file in several steps, and replacing several files takes a while.
const QUIET: Duration = Duration::from_millis(100);

/// Most links followed on the way to a file, as in the kernel (path_resolution(7)).
const LINKS: usize = 40;

/// Reports each change in the files' folders, for as long as the process lives.
///
/// It watches folders since editors put another file in the old one's place, and the folders of all links on the way,
/// since Kubernetes and certbot switch a link beside the file, and release deployments one above its folder.
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
                    // Nothing more will be reported here; SIGHUP still works.
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

    /// Watches these too. Earlier files stay watched: a change of one no longer named costs one look at the others.
    /// Call it again before the files are read: a folder may have been replaced by then.
    ///
    /// # Errors
    /// The first that cannot be watched, or is missing, after trying all.
    pub(super) fn watch(&self, files: &[PathBuf]) -> io::Result<()> {
        // Not IN_MODIFY: a log that is being written may lie beside it.
        let changes = AddWatchFlags::IN_CLOSE_WRITE | AddWatchFlags::IN_MOVED_TO | AddWatchFlags::IN_CREATE;
        // Reports that a folder was replaced; its removal is reported in any case.
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

/// Folders where a change may concern this file, and whether the file exists. Of missing folders, the nearest existing
/// one is watched.
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

/// Path components, last first.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev().filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    parts.map(|part| part.as_os_str().to_owned()).collect()
}

#[cfg(test)]
mod tests;
