//! The principal type is [`Root`]: the folder below which the kernel's files are read, `/` but in tests.

use std::fs::{File, symlink_metadata};
use std::io::Read as _;
use std::path::PathBuf;

/// The longest file of the kernel that is read here. `/proc/cpuinfo` has some 1.5 KiB a processor; what is looked for
/// stands in the first of them.
const LONGEST: u64 = 256 * 1024;

/// Where the files of the kernel are.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    folder: PathBuf,
    /// The files are this machine's, so that the processor may be asked too.
    is_this_machine: bool,
}

impl Root {
    pub(crate) fn of_this_machine() -> Self {
        Self { folder: PathBuf::from("/"), is_this_machine: true }
    }

    /// A copy of such files somewhere else.
    #[cfg(test)]
    pub(crate) fn at(folder: &std::path::Path) -> Self {
        Self { folder: folder.to_owned(), is_this_machine: false }
    }

    pub(crate) fn is_this_machine(&self) -> bool {
        self.is_this_machine
    }

    /// The beginning of a file, `path` without the leading slash; `None` if it cannot be read. Bytes that are no UTF-8
    /// are replaced.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let mut bytes = Vec::new();
        File::open(self.folder.join(path)).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The first line of a file without blanks around it, if there is anything in it.
    pub(crate) fn line(&self, path: &str) -> Option<String> {
        let content = self.read(path)?;
        let line =
            content.lines().next()?.trim_matches(|character: char| character.is_whitespace() || character == '\0');
        (!line.is_empty()).then(|| line.to_owned())
    }

    /// What a link says.
    pub(crate) fn link(&self, path: &str) -> Option<PathBuf> {
        std::fs::read_link(self.folder.join(path)).ok()
    }

    /// Whether there is something of this name.
    pub(crate) fn has(&self, path: &str) -> bool {
        symlink_metadata(self.folder.join(path)).is_ok()
    }
}

#[cfg(test)]
mod tests;
