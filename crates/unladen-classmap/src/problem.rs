//! Problems in an application's files that do not stop the work.

use std::fmt;
use std::path::PathBuf;

/// Something that could not be read or leads nowhere, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    pub path: PathBuf,
    /// From 1.
    pub line: Option<u32>,
    /// What is wrong, what was expected, and what to do.
    pub what: String,
    /// Whether it hides classes which the application finds: the map is then incomplete.
    pub hides: bool,
}

impl Problem {
    /// About the whole file or folder.
    pub fn of(path: impl Into<PathBuf>, what: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, what: what.into(), hides: false }
    }

    /// About a line of the file.
    pub fn at(path: impl Into<PathBuf>, line: u32, what: impl Into<String>) -> Self {
        Self { path: path.into(), line: Some(line), what: what.into(), hides: false }
    }

    /// Marks it as hiding classes that the application finds.
    #[must_use]
    pub fn hiding(self) -> Self {
        Self { hides: true, ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl std::error::Error for Problem {}
