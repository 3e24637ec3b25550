//! What is wrong with an application's files, without stopping the work.

use std::fmt;
use std::path::PathBuf;

/// Something that could not be read or does not lead anywhere: what it is, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// The line, from 1, where there is one.
    pub line: Option<u32>,
    /// What is wrong, what was expected, and what to do.
    pub what: String,
    /// Whether something failed that keeps classes from sight which the application finds: a map that is made all the
    /// same is not whole.
    pub hides: bool,
}

impl Problem {
    /// Of the whole file or folder.
    pub fn of(path: impl Into<PathBuf>, what: impl Into<String>) -> Self {
        Self { path: path.into(), line: None, what: what.into(), hides: false }
    }

    /// Of a line of the file.
    pub fn at(path: impl Into<PathBuf>, line: u32, what: impl Into<String>) -> Self {
        Self { path: path.into(), line: Some(line), what: what.into(), hides: false }
    }

    /// The same, and it keeps classes from sight that the application finds.
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
