//! The principal type is [`BadPlace`]: a problem in one place of a file.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::hidden::hidden;
use crate::problem::{Bad, Problem};

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

/// A line and a column of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: usize,
    /// In characters; both are counted from 1.
    pub column: usize,
}

impl Place {
    /// The place of a byte in a text.
    pub fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..text.floor_char_boundary(byte)).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

/// All mistakes in a file, in the order of its text.
#[derive(Debug)]
pub struct Mistakes {
    pub places: Vec<BadPlace>,
    pub more: usize,
}

/// Most places that are shown: one mistake may cause others.
const MOST_PLACES: usize = 20;

// === impl Mistakes ===

impl Mistakes {
    /// Locates the mistakes in a file's text, each place's equal ones once.
    pub fn new(text: &str, file: &Path, mut bads: Vec<Bad>) -> Self {
        bads.sort_by_key(|bad| bad.span.start);
        let mut places: Vec<BadPlace> = bads.into_iter().map(|bad| BadPlace::new(text, file, bad)).collect();
        // Not only neighbours: a mistake in a default may be found once for each table that uses it.
        let mut seen = BTreeSet::new();
        places.retain(|place| seen.insert((place.line, place.column, place.problem.to_string())));
        let more = places.len().saturating_sub(MOST_PLACES);
        places.truncate(MOST_PLACES);
        Self { places, more }
    }
}

impl std::error::Error for Mistakes {}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, place) in self.places.iter().enumerate() {
            write!(f, "{}{place}", if at > 0 { "\n" } else { "" })?;
        }
        if self.more > 0 { write!(f, "\nand {} more", self.more) } else { Ok(()) }
    }
}
