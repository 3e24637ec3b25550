//! The principal type is [`Root`]: the folder of the kernel's files, `/` except in tests.

use std::fs::{File, symlink_metadata};
use std::io::Read as _;
use std::path::PathBuf;

/// `/proc/cpuinfo` has some 1.5 KiB a processor; the first processors have what is looked for.
const LONGEST: u64 = 256 * 1024;

#[derive(Debug, Clone)]
pub(crate) struct Root {
    folder: PathBuf,
    /// The files are this machine's, so the processor may be asked too.
    is_this_machine: bool,
}

impl Root {
    pub(crate) fn of_this_machine() -> Self {
        Self { folder: PathBuf::from("/"), is_this_machine: true }
    }

    #[cfg(test)]
    pub(crate) fn at(folder: &std::path::Path) -> Self {
        Self { folder: folder.to_owned(), is_this_machine: false }
    }

    pub(crate) fn is_this_machine(&self) -> bool {
        self.is_this_machine
    }

    /// The beginning of a file, `path` without the leading slash. Invalid UTF-8 is replaced.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let mut bytes = Vec::new();
        File::open(self.folder.join(path)).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The trimmed first line of a file, unless empty.
    pub(crate) fn line(&self, path: &str) -> Option<String> {
        let content = self.read(path)?;
        let line =
            content.lines().next()?.trim_matches(|character: char| character.is_whitespace() || character == '\0');
        (!line.is_empty()).then(|| line.to_owned())
    }

    pub(crate) fn link(&self, path: &str) -> Option<PathBuf> {
        std::fs::read_link(self.folder.join(path)).ok()
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        symlink_metadata(self.folder.join(path)).is_ok()
    }
}

#[cfg(test)]
mod tests;
