//! The principal type is [`BadPlace`]: what is wrong in one place of a file.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::bad::Bad;
use crate::hidden::hidden;
use crate::place::Place;
use crate::problem::Problem;

/// What is wrong in one place; shown with the line and a caret below the place.
#[derive(Debug)]
pub struct BadPlace {
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The line's text, without what may be a secret.
    pub text: String,
    /// How many characters of the line are meant, at least 1.
    pub width: usize,
    /// What is wrong.
    pub problem: Problem,
}

/// The most characters of a line that are shown.
const SHOWN: usize = 160;

// === impl BadPlace ===

impl BadPlace {
    /// What is wrong with the text of a file.
    pub fn new(text: &str, file: &Path, bad: Bad) -> Self {
        // A span ends at the end of the text at the latest, and at characters' edges: but it is the parser's.
        let start = text.floor_char_boundary(bad.span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let shown = text[line_start..].lines().next().unwrap_or_default();
        let rest = shown.get(start - line_start..).unwrap_or_default();
        let wide = rest.char_indices().take_while(|(at, _)| start + at < bad.span.end).count();
        let Place { line, column } = Place::of(text, start);
        let problem = *bad.problem;
        // What cannot be used as a secret may be one all the same.
        let text = match &problem {
            Problem::Secret { .. } => {
                shown.chars().enumerate().map(|(at, c)| if at + 1 < column { c } else { '*' }).collect()
            }
            _ => hidden(shown),
        };
        Self { file: file.to_owned(), line, column, text, width: wide.max(1), problem }
    }
}

impl std::error::Error for BadPlace {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&self.problem)
    }
}

impl fmt::Display for BadPlace {
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
