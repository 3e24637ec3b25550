//! The principal type is [`Asked`]: the machine that checks look at.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use unladen_load::Request;

/// Most bytes of a kernel file that are read; what is looked for stands at its beginning.
const LONGEST: u64 = 256 << 10;

#[derive(Debug)]
pub(crate) struct Asked {
    root: PathBuf,
    pub(crate) page: Option<Request>,
}

impl Asked {
    pub(crate) fn of_this_machine(page: Option<Request>) -> Self {
        Self { root: PathBuf::from("/"), page }
    }

    /// A made-up machine whose kernel files are in this folder.
    #[cfg(test)]
    pub(crate) fn at(root: &std::path::Path) -> Self {
        Self { root: root.to_owned(), page: None }
    }

    /// `path` has no leading slash.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// The beginning of a kernel file; `None` if it cannot be read.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        let mut bytes = Vec::new();
        File::open(self.path(path)).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The first line, unless empty.
    pub(crate) fn line(&self, path: &str) -> Option<String> {
        let text = self.read(path)?;
        text.lines().next().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned)
    }
}
