//! What one thread has found. The principal type is [`Found`].

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteVec};
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;

use crate::Problem;
use crate::tree::read::{Buffer, open, unreadable};
use crate::tree::{SourceFile, Tree};

/// Files, folders and problems, in no order.
#[derive(Default)]
pub(super) struct Found {
    files: Vec<(BString, SourceFile)>,
    pub(super) folders: Vec<PathBuf>,
    problems: Vec<Problem>,
    buffer: Buffer,
}

// === impl Found ===

impl Found {
    pub(super) fn read_in(&mut self, path: &BString, folder: &OwnedFd, names: &[BString], is_linked: bool) {
        for name in names {
            let path = joined(path, name);
            let opened =
                openat(folder, name.as_slice(), OFlag::O_RDONLY | OFlag::O_CLOEXEC | OFlag::O_NONBLOCK, Mode::empty());
            match opened {
                Ok(file) => self.scan(path, &mut File::from(file), is_linked),
                // It has gone since it was listed.
                Err(Errno::ENOENT) => {}
                Err(error) => self.failed(&path, error),
            }
        }
    }

    pub(super) fn read(&mut self, path: BString) {
        match open(path_of(&path)) {
            Ok(Some(mut file)) => self.scan(path, &mut file, true),
            // Whoever names it says so.
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

    pub(super) fn failed(&mut self, path: &BString, error: impl Into<Failed>) {
        let path = path_of(path).to_path_buf();
        self.problems.push(match error.into() {
            Failed::Call(error) => unreadable(&path, &error),
            Failed::Bound(what) => Problem::of(path, what).hiding(),
        });
    }

    pub(super) fn together(all: Vec<Self>) -> Tree {
        let mut files = Vec::new();
        let mut tree = Tree::default();
        for mut found in all {
            files.append(&mut found.files);
            tree.folders.append(&mut found.folders);
            tree.problems.extend(
                found.problems.into_iter().map(|problem| (BString::from(problem.path.as_os_str().as_bytes()), problem)),
            );
        }
        tree.folders.sort();
        for (path, file) in &files {
            tree.complain(path, file);
        }
        tree.files = files.into_iter().collect();
        tree
    }
}

/// Why something was left out.
pub(super) enum Failed {
    Call(std::io::Error),
    Bound(String),
}

impl From<Errno> for Failed {
    fn from(error: Errno) -> Self {
        Self::Call(error.into())
    }
}

impl From<std::io::Error> for Failed {
    fn from(error: std::io::Error) -> Self {
        Self::Call(error)
    }
}

impl From<String> for Failed {
    fn from(what: String) -> Self {
        Self::Bound(what)
    }
}

pub(super) fn joined(folder: &BString, name: &[u8]) -> BString {
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.push_str(folder);
    path.push(b'/');
    path.push_str(name);
    path.into()
}

pub(super) fn path_of(bytes: &BString) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}
