//! Reads many files in parallel. The principal function is [`walk`].
//!
//! Threads take tasks from one list: a folder to list, or some of its files to read. Files are opened relative to their
//! folder, so that the kernel does not look up each whole path.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bstr::BString;
use nix::dir::{Dir, Type};
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, open, openat};
use nix::sys::stat::{Mode, SFlag, fstat, fstatat};

use crate::Problem;
use crate::input::{Buffer, open_if_there, unreadable};
use crate::tree::roots::{Roots, is_php, joined, path_of};
use crate::tree::source_file::SourceFile;

/// With more threads, they only wait for the kernel's locks.
const MOST_THREADS: usize = 16;

const FILES_AT_ONCE: usize = 64;

/// Most links to folders in a path; loops end sooner. This bounds folders that link to each other.
const MOST_LINKS: usize = 8;

/// Most folders listed through links: packages that each link to all others have millions of paths.
const MOST_LINKED: usize = 100_000;

const MOST_FILES: usize = 4_000_000;

pub(super) fn walk(roots: &Roots) -> Found {
    walk_up_to(roots, MOST_LINKED)
}

fn walk_up_to(roots: &Roots, most_linked: usize) -> Found {
    let work = Work::new(roots, most_linked);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let found: Vec<Found> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| work.take_part())).collect();
        let mut found = vec![work.take_part()];
        for other in others {
            match other.join() {
                Ok(more) => found.push(more),
                // Without its findings the map would silently lack classes.
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        found
    });
    Found::together(found)
}

/// A folder that is walked, and its ancestors.
struct Folder {
    identity: (u64, u64),
    links: usize,
    within: Option<Arc<Folder>>,
}

impl Folder {
    fn is_in(&self, identity: (u64, u64)) -> bool {
        self.identity == identity || self.within.as_ref().is_some_and(|within| within.is_in(identity))
    }
}

enum Task {
    Folder { path: BString, is_link: bool, within: Option<Arc<Folder>> },
    Files { path: BString, folder: Arc<OwnedFd>, names: Vec<BString>, is_linked: bool },
    File(BString),
}

struct Work {
    tasks: Mutex<Tasks>,
    more: Condvar,
    most_linked: usize,
}

struct Tasks {
    waiting: Vec<Task>,
    /// Waiting or under way.
    open: usize,
    files: usize,
    /// Folders reached through links.
    linked: usize,
}

/// A task under way. Dropping it marks it done, even in a panic, for which the others would wait.
struct Done<'a> {
    work: &'a Work,
    next: Vec<Task>,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.work.done(&mut self.next);
    }
}

impl Work {
    fn new(roots: &Roots, most_linked: usize) -> Self {
        let folders = roots.folders.iter().rev().map(|path| Task::Folder {
            path: BString::from(path.as_os_str().as_bytes()),
            is_link: path.canonicalize().is_ok_and(|real| real != *path),
            within: None,
        });
        let waiting: Vec<_> = roots.files.iter().cloned().map(Task::File).chain(folders).collect();
        let tasks = Tasks { open: waiting.len(), waiting, files: 0, linked: 0 };
        Self { tasks: Mutex::new(tasks), more: Condvar::new(), most_linked }
    }

    /// A thread that panicked has left the tasks consistent.
    fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_part(&self) -> Found {
        let mut found = Found::default();
        while let Some(task) = self.take() {
            let mut done = Done { work: self, next: Vec::new() };
            match task {
                Task::Folder { path, is_link, within } => self.list(path, is_link, within, &mut done.next, &mut found),
                Task::Files { path, folder, names, is_linked } => found.read_in(&path, &folder, &names, is_linked),
                Task::File(path) => found.read(path),
            }
        }
        found
    }

    fn take(&self) -> Option<Task> {
        let mut tasks = self.tasks();
        loop {
            if let Some(task) = tasks.waiting.pop() {
                return Some(task);
            }
            if tasks.open == 0 {
                return None;
            }
            tasks = self.more.wait(tasks).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn done(&self, next: &mut Vec<Task>) {
        let mut tasks = self.tasks();
        tasks.open = tasks.open + next.len() - 1;
        let wake = tasks.open == 0 || !next.is_empty();
        tasks.waiting.append(next);
        drop(tasks);
        if wake {
            self.more.notify_all();
        }
    }

    fn admit(&self, files: usize) -> bool {
        let mut tasks = self.tasks();
        tasks.files += files;
        tasks.files <= MOST_FILES
    }

    fn count_linked(&self) -> usize {
        let mut tasks = self.tasks();
        tasks.linked += 1;
        tasks.linked
    }

    fn list(&self, path: BString, is_link: bool, within: Option<Arc<Folder>>, next: &mut Vec<Task>, found: &mut Found) {
        let (folder, mut dir, identity) = match opened(&path) {
            Ok(opened) => opened,
            // A missing folder is reported where it is named.
            Err(Errno::ENOENT) => return,
            Err(error) => return found.failed(&path, error),
        };
        let links = within.as_ref().map_or(0, |within| within.links) + usize::from(is_link);
        if links > MOST_LINKS || is_link && within.as_ref().is_some_and(|within| within.is_in(identity)) {
            return;
        }
        match if links > 0 { self.count_linked().checked_sub(self.most_linked) } else { None } {
            None | Some(0) => {}
            Some(1) => {
                let what = format!(
                    "links lead to more than {} folders, as folders that link to each other do; the rest is left out: \
                     name only the folders of classes, such as src, not those with the links",
                    self.most_linked
                );
                return found.bounded(&path, what);
            }
            Some(_) => return,
        }
        let (mut names, mut linked) = (Vec::new(), Vec::new());
        let mut folders = Vec::new();
        for entry in dir.iter() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return found.failed(&path, error),
            };
            let name = entry.file_name().to_bytes();
            // Composer skips hidden files, and no class's name can lead there.
            if name.starts_with(b".") {
                continue;
            }
            let (kind, is_link) = match entry.file_type() {
                Some(kind @ (Type::File | Type::Directory)) => (Some(kind), false),
                Some(Type::Symlink) | None => (followed(&folder, entry.file_name()), true),
                Some(_) => (None, false),
            };
            // PHP's loaders ask whether anything of that name exists: a folder or a pipe, too, ends their search.
            if kind != Some(Type::File) && name.ends_with(b".php") && is_there(&folder, entry.file_name()) {
                found.put(joined(&path, name), SourceFile::default());
            }
            match kind {
                Some(Type::Directory) => folders.push((joined(&path, name), is_link)),
                Some(Type::File) if is_php(name) => {
                    if is_link { &mut linked } else { &mut names }.push(BString::from(name));
                }
                _ => {}
            }
        }
        if !self.admit(names.len() + linked.len()) {
            return found
                .bounded(&path, format!("there are more than {MOST_FILES} PHP files in total; these are left out"));
        }
        found.folders.push(path_of(&path).to_path_buf());
        let this = Arc::new(Folder { identity, links, within });
        next.extend(folders.into_iter().map(|(path, is_link)| {
            let within = Some(Arc::clone(&this));
            Task::Folder { path, is_link, within }
        }));
        let folder = Arc::new(folder);
        for (mut names, is_linked) in [(names, links > 0), (linked, true)] {
            while !names.is_empty() {
                let names = names.split_off(names.len().saturating_sub(FILES_AT_ONCE));
                next.push(Task::Files { path: path.clone(), folder: Arc::clone(&folder), names, is_linked });
            }
        }
    }
}

/// A folder opened to open its files, and again to list it; and its identity.
fn opened(path: &BString) -> nix::Result<(OwnedFd, Dir, (u64, u64))> {
    let folder = open(path.as_slice(), OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty())?;
    let stat = fstat(&folder)?;
    let dir = Dir::from_fd(folder.try_clone().map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or(0)))?)?;
    Ok((folder, dir, (stat.st_dev, stat.st_ino)))
}

/// Whether it exists: a link may lead nowhere.
fn is_there(folder: &OwnedFd, name: &std::ffi::CStr) -> bool {
    fstatat(folder, name, AtFlags::empty()).is_ok()
}

/// The type of a link's target; `None` if it leads nowhere.
fn followed(folder: &OwnedFd, name: &std::ffi::CStr) -> Option<Type> {
    let stat = fstatat(folder, name, AtFlags::empty()).ok()?;
    match SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT {
        SFlag::S_IFDIR => Some(Type::Directory),
        SFlag::S_IFREG => Some(Type::File),
        _ => None,
    }
}

/// The findings of one thread.
#[derive(Default)]
pub(super) struct Found {
    pub(super) files: Vec<(BString, SourceFile)>,
    pub(super) folders: Vec<PathBuf>,
    pub(super) problems: Vec<Problem>,
    buffer: Buffer,
}

impl Found {
    pub(super) fn read_in(&mut self, path: &BString, folder: &OwnedFd, names: &[BString], is_linked: bool) {
        for name in names {
            let path = joined(path, name);
            let opened =
                openat(folder, name.as_slice(), OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK, Mode::empty());
            match opened {
                Ok(file) => self.scan(path, &mut File::from(file), is_linked),
                // Removed since it was listed.
                Err(Errno::ENOENT) => {}
                Err(error) => self.failed(&path, error),
            }
        }
    }

    pub(super) fn read(&mut self, path: BString) {
        match open_if_there(path_of(&path)) {
            Ok(Some(mut file)) => self.scan(path, &mut file, true),
            // Reported by the list that names it.
            Ok(None) => {}
            Err(problem) => self.problems.push(problem),
        }
    }

    fn scan(&mut self, path: BString, file: &mut File, is_linked: bool) {
        match self.buffer.fill(file) {
            Ok(source) => {
                let seen = SourceFile::of(source, is_linked);
                self.put(path, seen);
            }
            Err(error) => self.failed(&path, error),
        }
    }

    pub(super) fn put(&mut self, path: BString, seen: SourceFile) {
        self.files.push((path, seen));
    }

    pub(super) fn failed(&mut self, path: &BString, error: impl Into<std::io::Error>) {
        self.problems.push(unreadable(path_of(path), &error.into()));
    }

    pub(super) fn bounded(&mut self, path: &BString, what: String) {
        self.problems.push(Problem::of(path_of(path), what).hiding());
    }

    pub(super) fn together(all: Vec<Self>) -> Self {
        let mut together = Self::default();
        for mut found in all {
            together.files.append(&mut found.files);
            together.folders.append(&mut found.folders);
            together.problems.append(&mut found.problems);
        }
        together.folders.sort();
        together
    }
}

#[cfg(test)]
mod tests;
