//! Changes below the folders of an application. The principal type is [`Watch`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bstr::ByteSlice;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify, WatchDescriptor};

use crate::readers::path::plain;
use crate::tree::is_php;
use crate::{Project, Rule};

/// Changes are reported after this pause: an editor writes a file in several steps, less far apart.
const QUIET: Duration = Duration::from_millis(3);

/// Latest report while changes go on: an unpacked archive is one change, a program that writes all day is not.
const PATIENCE: Duration = Duration::from_millis(100);

/// Adds to an existing watch of a folder by another path (nix has no name for it).
const MASK_ADD: AddWatchFlags = AddWatchFlags::from_bits_retain(nix::libc::IN_MASK_ADD);

/// Most links in a chain; the kernel follows as many.
const MOST_HOPS: usize = 40;

/// The kernel's notices of changes (inotify(7)).
#[derive(Debug)]
pub struct Watch {
    inotify: Inotify,
    /// The kernel knows a folder by its identity, and it may have several paths.
    folders: HashMap<WatchDescriptor, Vec<PathBuf>>,
    /// The application's folder, as named and without links.
    roots: Vec<PathBuf>,
    /// Folders in which every PHP file and every folder counts.
    own: BTreeSet<PathBuf>,
    /// Files that say how classes are found, and the paths to the folders, which may be links or not exist yet.
    decisive: BTreeSet<PathBuf>,
    /// Other paths of the application's files: targets of links, and files named by lists.
    known_as: BTreeMap<PathBuf, BTreeSet<PathBuf>>,
}

/// What has changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files with names of PHP files that were created, changed or removed.
    pub files: BTreeSet<PathBuf>,
    /// Everything has to be read again: the way of finding classes may have changed, or folders came or went.
    pub all: bool,
}

impl Changes {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        !self.all && self.files.is_empty()
    }
}

impl Watch {
    /// Watches all folders of the project, and the files that it was read from.
    ///
    /// Changes between reading and watching go unseen: read the project again once it is watched, and see whether that
    /// [covers](Watch::covers) it.
    ///
    /// Fails if the kernel allows no more watches: `fs.inotify.max_user_watches` says how many.
    pub fn new(project: &Project) -> io::Result<Self> {
        let mut watch = Self {
            inotify: Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK).map_err(told)?,
            folders: HashMap::new(),
            roots: [Some(project.root().to_owned()), project.root().canonicalize().ok()]
                .into_iter()
                .flatten()
                .collect(),
            own: project.tree.folders().iter().cloned().collect(),
            decisive: BTreeSet::new(),
            known_as: BTreeMap::new(),
        };
        let rules = || project.application.loaders.iter().flat_map(|loader| &loader.rules);
        let folders = rules().flat_map(Rule::folders).chain([project.root()]);
        let inputs = project.application.inputs.iter().map(PathBuf::as_path);
        watch.decisive = folders.chain(inputs).flat_map(Path::ancestors).flat_map(hops).collect();
        let paths = rules().flat_map(Rule::listed).chain(project.tree.linked_files());
        for path in paths.filter_map(|path| path.to_path().ok()) {
            let hops = hops(path);
            // Its folder is watched for it.
            if hops.len() == 1
                && path.parent().is_some_and(|folder| watch.own.contains(folder))
                && is_php(path.as_os_str().as_bytes())
            {
                continue;
            }
            for hop in hops {
                watch.known_as.entry(hop).or_default().insert(path.to_owned());
            }
        }
        watch.add_all()?;
        Ok(watch)
    }

    /// Whether all folders of the project are watched: not those that came before the watch and were read after it.
    pub fn covers(&self, project: &Project) -> bool {
        project.tree.folders().iter().all(|folder| self.own.contains(folder))
    }

    fn add_all(&mut self) -> io::Result<()> {
        let names = AddWatchFlags::IN_CREATE | AddWatchFlags::IN_DELETE | AddWatchFlags::IN_MOVE;
        let content = names | AddWatchFlags::IN_CLOSE_WRITE | AddWatchFlags::IN_ATTRIB | AddWatchFlags::IN_MOVE_SELF;
        let mut folders: BTreeMap<PathBuf, AddWatchFlags> = self
            .decisive
            .iter()
            .chain(self.known_as.keys())
            .filter_map(|path| Some((path.parent()?.to_owned(), names)))
            .collect();
        let files = self.decisive.iter().filter(|path| path.is_file()).chain(self.known_as.keys());
        let of_files: Vec<PathBuf> = files.filter_map(|path| Some(path.parent()?.to_owned())).collect();
        folders.extend(self.own.iter().cloned().chain(of_files).map(|folder| (folder, content)));
        for (folder, changes) in folders {
            // Keeps what it is watched for by another path.
            match self.inotify.add_watch(&folder, changes | AddWatchFlags::IN_ONLYDIR | MASK_ADD) {
                Ok(descriptor) => self.folders.entry(descriptor).or_default().push(folder),
                // It is gone, does not exist yet, or was reported when read.
                Err(Errno::ENOENT | Errno::ENOTDIR | Errno::EACCES | Errno::ELOOP) => {}
                Err(error) => return Err(told(error)),
            }
        }
        Ok(())
    }

    /// Waits for changes, and for their end; empty after `timeout`. Fails if the kernel's notices cannot be read.
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
            let Some(folders) = self.folders.get(&event.wd) else { continue };
            let Some(name) = event.name else {
                changes.all |= event.mask.contains(AddWatchFlags::IN_MOVE_SELF);
                continue;
            };
            for folder in folders {
                self.see(folder, &name, event.mask.contains(AddWatchFlags::IN_ISDIR), changes);
            }
        }
        Ok(())
    }

    fn see(&self, folder: &Path, name: &OsStr, is_folder: bool, changes: &mut Changes) {
        let path = folder.join(name);
        if let Some(files) = self.known_as.get(&path) {
            changes.files.extend(files.iter().cloned());
        }
        if self.decisive.contains(&path) {
            changes.all = true;
            return;
        }
        // Hidden files are skipped, as in reading.
        if name.as_bytes().starts_with(b".") {
            return;
        }
        let is_own = self.own.contains(folder);
        // In the application but not walked: an extension may have come.
        let is_near = is_own || self.roots.iter().any(|root| folder.starts_with(root));
        // A link to a folder is no folder to the kernel.
        if is_near && (is_folder || self.own.contains(&path) || path.is_dir()) {
            changes.all = true;
        } else if is_own && is_php(name.as_bytes()) {
            changes.files.insert(path);
        }
    }
}

/// A path, and those that it leads to if it is a link: any of them may change.
fn hops(path: &Path) -> Vec<PathBuf> {
    let mut hops = vec![path.to_owned()];
    let mut at = path.to_owned();
    while let (Ok(to), Some(folder)) = (at.read_link(), at.parent()) {
        at = plain(folder.join(to).as_os_str().as_bytes());
        if hops.len() > MOST_HOPS {
            break;
        }
        hops.push(at.clone());
    }
    hops
}

fn told(error: Errno) -> io::Error {
    match error {
        Errno::ENOSPC => io::Error::other(
            "the kernel watches no more folders for this user: raise it with `sysctl fs.inotify.max_user_watches=524288`",
        ),
        Errno::EMFILE => io::Error::other(
            "too many programs of this user already watch folders: raise it with `sysctl \
             fs.inotify.max_user_instances=1024`",
        ),
        error => error.into(),
    }
}

#[cfg(test)]
mod tests;
