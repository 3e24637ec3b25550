//! The principal type is [`Check`]: what it looks at is [`Asked`], what it found [`Checked`].

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;
use std::time::Duration;

use unladen_load::Request;

use super::row::{Row, Verb, Verdict};

/// `unladen doctor` takes less than two seconds overall: a check without a longer limit that has not answered by then
/// hangs.
const LIMIT: Duration = Duration::from_millis(1_700);
/// Most bytes of a kernel file that are read; what is looked for stands at its beginning.
const LONGEST: u64 = 256 << 10;

/// One thing to check. docs/reference/doctor.md has a row for each.
pub(crate) struct Check {
    pub(crate) name: &'static str,
    /// The commands that need it.
    pub(crate) verbs: &'static [Verb],
    pub(crate) limit: Duration,
    /// Whether it runs after the others, because one of them does the same thing.
    pub(crate) is_late: bool,
    /// Without anything to say there are no rows.
    pub(crate) look: fn(&Asked) -> Vec<Row>,
}

/// The machine that checks look at.
#[derive(Debug)]
pub(crate) struct Asked {
    root: PathBuf,
    pub(crate) page: Option<Request>,
}

/// A check's name, and what it found.
pub(crate) struct Checked {
    pub(crate) name: &'static str,
    pub(crate) rows: Vec<Row>,
}

impl Check {
    pub(crate) const fn new(name: &'static str, verbs: &'static [Verb], look: fn(&Asked) -> Vec<Row>) -> Self {
        Self { name, verbs, limit: LIMIT, is_late: false, look }
    }
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

pub(crate) fn worst(checked: &[Checked]) -> Verdict {
    checked.iter().flat_map(|checked| &checked.rows).map(|row| row.verdict).max().unwrap_or(Verdict::Ok)
}
