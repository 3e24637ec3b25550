//! The principal type is [`Warning`]: something allowed that is perhaps a mistake.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use unladen_toml::Place;

/// Something allowed that is perhaps a mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub file: PathBuf,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The consequence, and what to do.
    pub message: String,
}

// === impl Warning ===

impl Warning {
    pub(super) fn new(text: &str, file: &Path, span: Range<usize>, message: String) -> Self {
        let Place { line, column } = Place::of(text, span.start);
        Self { file: file.to_owned(), line, column, message }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, message } = self;
        write!(f, "{}:{line}:{column}: {message}", file.display())
    }
}
