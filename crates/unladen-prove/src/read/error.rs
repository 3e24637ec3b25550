//! The principal type is [`ExperimentError`]: why a file is no experiment, and where.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::read::problem::{Bad, Problem};

/// Why a file is no experiment.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// It cannot be read.
    #[error("cannot read the experiment {file}: {source}", file = file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not UTF-8.
    #[error("the experiment {file} is not UTF-8 text", file = file.display())]
    NoText {
        /// The file.
        file: PathBuf,
    },
    /// It says something that cannot be.
    #[error(transparent)]
    Bad(Box<BadFile>),
}

/// What is wrong with a file, and where; shown with the line and a caret below the place.
#[derive(Debug)]
pub struct BadFile {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The line's text.
    pub text: String,
    /// How many characters of the line are meant, at least 1.
    pub width: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// The most characters of a line that are shown.
const SHOWN: usize = 160;

// === impl BadFile ===

impl BadFile {
    pub(crate) fn new(text: &str, file: &Path, bad: Bad) -> Self {
        // A span ends at the end of the text at the latest, and at characters' edges: but it is the parser's.
        let mut start = bad.span.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next().unwrap_or_default();
        let column = before[line_start..].chars().count();
        let rest = line.get(start - line_start..).unwrap_or_default();
        let wide = rest.char_indices().take_while(|(at, _)| start + at < bad.span.end).count();
        Self {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            column: column + 1,
            text: line.to_owned(),
            width: wide.max(1),
            problem: bad.problem,
        }
    }
}

impl std::error::Error for BadFile {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.problem)
    }
}

impl fmt::Display for BadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, text, width, problem } = self;
        write!(f, "{}:{line}:{column}: {problem}", file.display())?;
        // The caret stays below its character: what is wider or narrower than one is shown as one.
        let skip = column.saturating_sub(SHOWN / 2);
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let shown: String = text.chars().map(plain).skip(skip).take(SHOWN).collect();
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        let indent = " ".repeat(column - 1 - skip.min(column - 1));
        let width = (*width).min(SHOWN / 2);
        write!(f, "\n {number} | {}\n {gutter} | {indent}{}", shown.trim_end(), "^".repeat(width))
    }
}
