//! The principal type is [`BadPlace`]: a problem in one place of a file.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::bad::Bad;
use crate::hidden::hidden;
use crate::place::Place;
use crate::problem::Problem;

/// A problem in one place; displayed with the line and a caret below the place.
#[derive(Debug)]
pub struct BadPlace {
    pub file: PathBuf,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The line's text, without possible secrets.
    pub text: String,
    /// Number of characters marked, at least 1.
    pub width: usize,
    pub problem: Problem,
}

const SHOWN: usize = 160;

// === impl BadPlace ===

impl BadPlace {
    /// Locates a problem in a file's text.
    pub fn new(text: &str, file: &Path, bad: Bad) -> Self {
        // Spans should end within the text and at characters' edges, but they are the parser's.
        let start = text.floor_char_boundary(bad.span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let shown = text[line_start..].lines().next().unwrap_or_default();
        let rest = shown.get(start - line_start..).unwrap_or_default();
        let wide = rest.char_indices().take_while(|(at, _)| start + at < bad.span.end).count();
        let Place { line, column } = Place::of(text, start);
        let problem = *bad.problem;
        // An unusable secret may be one nevertheless.
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
        // The caret stays below its character: characters of other widths are shown as one of width one.
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
