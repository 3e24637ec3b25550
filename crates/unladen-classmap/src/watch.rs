//! What changes below the folders of an application. The principal type is [`Watch`].

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bstr::ByteSlice;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};

use crate::Project;
use crate::tree::is_php;

/// When nothing more comes for so long, what has changed is handed over: an editor writes a file in several steps, which take it less.
const QUIET: Duration = Duration::from_millis(3);

/// Not later than this, if changes go on: an unpacked archive is one change, a program that writes all day is not.
const PATIENCE: Duration = Duration::from_millis(100);

/// The kernel's notices of changes (inotify(7)).
#[derive(Debug)]
pub struct Watch {
    inotify: Inotify,
    folders: HashMap<WatchDescriptor, PathBuf>,
    inputs: BTreeSet<PathBuf>,
}

/// What has changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files by the names of PHP files that came, changed or went.
    pub files: BTreeSet<PathBuf>,
    /// That what the application does to find its classes may have changed, or folders have come or gone: all has to be read again.
    pub all: bool,
}

impl Changes {
    /// Whether nothing has.
    pub fn is_empty(&self) -> bool {
        !self.all && self.files.is_empty()
    }
}

impl Watch {
    /// Watches all folders of the project, and the files that it was read from.
    ///
    /// # Errors
    /// If the kernel allows no more watches: `fs.inotify.max_user_watches` says how many.
    pub fn new(project: &Project) -> io::Result<Self> {
        let inotify = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK)?;
        let mut watch =
            Self { inotify, folders: HashMap::new(), inputs: project.application.inputs.iter().cloned().collect() };
        let of_inputs = watch.inputs.iter().filter_map(|input| input.parent().map(Path::to_owned));
        let of_files = project.tree.files().filter_map(|(path, _)| Some(path.to_path().ok()?.parent()?.to_owned()));
        let walked = project.tree.folders().iter().cloned();
        let folders: BTreeSet<PathBuf> = walked.chain(of_inputs).chain(of_files).collect();
        for folder in folders {
            let changes = AddWatchFlags::IN_CLOSE_WRITE
                | AddWatchFlags::IN_CREATE
                | AddWatchFlags::IN_DELETE
                | AddWatchFlags::IN_MOVE
                | AddWatchFlags::IN_ATTRIB
                | AddWatchFlags::IN_MOVE_SELF
                | AddWatchFlags::IN_ONLYDIR;
            match watch.inotify.add_watch(&folder, changes) {
                Ok(descriptor) => {
                    watch.folders.insert(descriptor, folder);
                }
                // It went meanwhile, or was told of as it was read.
                Err(Errno::ENOENT | Errno::ENOTDIR | Errno::EACCES) => {}
                Err(Errno::ENOSPC) => {
                    return Err(io::Error::other(
                        "the kernel watches no more folders for this user: raise it with `sysctl fs.inotify.max_user_watches=524288`",
                    ));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(watch)
    }

    /// Waits for changes, and for their end; nothing if none came within `timeout`.
    ///
    /// # Errors
    /// If the kernel's notices cannot be read.
    pub fn wait(&mut self, timeout: Duration) -> io::Result<Changes> {
        let mut changes = Changes::default();
        if !self.is_ready(timeout)? {
            return Ok(changes);
        }
        let start = Instant::now();
        loop {
            self.take(&mut changes)?;
            if start.elapsed() >= PATIENCE || !self.is_ready(QUIET)? {
                return Ok(changes);
            }
        }
    }

    fn is_ready(&self, timeout: Duration) -> io::Result<bool> {
        let mut fds = [PollFd::new(self.inotify.as_fd(), PollFlags::POLLIN)];
        let timeout = PollTimeout::try_from(timeout).unwrap_or(PollTimeout::MAX);
        match poll(&mut fds, timeout) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::EINTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn take(&self, changes: &mut Changes) -> io::Result<()> {
        let events = match self.inotify.read_events() {
            Ok(events) => events,
            Err(Errno::EAGAIN) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        for event in events {
            // More changes than the kernel keeps.
            if event.mask.contains(AddWatchFlags::IN_Q_OVERFLOW) {
                changes.all = true;
                continue;
            }
            let Some(folder) = self.folders.get(&event.wd) else { continue };
            let Some(name) = event.name else {
                changes.all |= event.mask.contains(AddWatchFlags::IN_MOVE_SELF);
                continue;
            };
            let path = folder.join(&name);
            if self.inputs.contains(&path) || event.mask.contains(AddWatchFlags::IN_ISDIR) {
                changes.all = true;
            } else if is_php(name.as_encoded_bytes()) {
                // A link may lead to a folder.
                if path.is_dir() {
                    changes.all = true;
                } else {
                    changes.files.insert(path);
                }
            }
        }
        Ok(())
    }
}
