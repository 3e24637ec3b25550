//! The findings of one thread. The principal type is [`Found`].

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use bstr::BString;
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat};
use nix::sys::stat::Mode;

use super::path::{joined, path_of};
use super::read::{Buffer, open, unreadable};
use super::source_file::SourceFile;
use crate::Problem;

#[derive(Default)]
pub(super) struct Found {
    pub(super) files: Vec<(BString, SourceFile)>,
    pub(super) folders: Vec<PathBuf>,
    pub(super) problems: Vec<Problem>,
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
                // Removed since it was listed.
                Err(Errno::ENOENT) => {}
                Err(error) => self.failed(&path, error),
            }
        }
    }

    pub(super) fn read(&mut self, path: BString) {
        match open(path_of(&path)) {
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

    pub(super) fn failed(&mut self, path: &BString, error: impl Into<Failed>) {
        let path = path_of(path).to_path_buf();
        self.problems.push(match error.into() {
            Failed::Call(error) => unreadable(&path, &error),
            Failed::Bound(what) => Problem::of(path, what).hiding(),
        });
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
