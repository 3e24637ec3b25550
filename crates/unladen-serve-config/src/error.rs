//! The principal type is [`ConfigError`]: why a file is no configuration, with every place that is wrong.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use super::problem::{Bad, Problem};

/// Why a file is no configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// It cannot be read.
    #[error("cannot read the configuration {file}: {source}", file = file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not UTF-8.
    #[error("the configuration {file} is not UTF-8 text", file = file.display())]
    NoText {
        /// The file.
        file: PathBuf,
    },
    /// It says things that cannot be: all of them, in the order of the text. At least one.
    #[error("{}", listed(places, *more))]
    Bad {
        /// The first of them.
        places: Vec<BadPlace>,
        /// How many there are besides.
        more: usize,
    },
}

/// What is wrong in one place; shown with the line and a caret below the place.
#[derive(Debug)]
pub struct BadPlace {
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

/// The most places that are shown: one mistake may bring others about.
const MOST_PLACES: usize = 20;

/// The most characters of a line that are shown.
const SHOWN: usize = 160;

fn listed(places: &[BadPlace], more: usize) -> String {
    let mut text = places.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    if more > 0 {
        text.push_str(&format!("\nand {more} more"));
    }
    text
}

// === impl ConfigError ===

impl ConfigError {
    /// Another number for other mistakes.
    pub fn stamp(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.to_string().hash(&mut hasher);
        hasher.finish()
    }

    /// All that is wrong, in the order of the text; what is said twice of one place is said once.
    pub(super) fn of(text: &str, file: &Path, mut bads: Vec<Bad>) -> Self {
        bads.sort_by_key(|bad| bad.span.start);
        let mut places: Vec<BadPlace> = bads.into_iter().map(|bad| BadPlace::new(text, file, bad)).collect();
        // Not only neighbours: what a default is refused for may come up once for each table that it is a default of.
        let mut seen = std::collections::BTreeSet::new();
        places.retain(|place| seen.insert((place.line, place.column, place.problem.to_string())));
        let more = places.len().saturating_sub(MOST_PLACES);
        places.truncate(MOST_PLACES);
        Self::Bad { places, more }
    }
}

// === impl BadPlace ===

impl BadPlace {
    fn new(text: &str, file: &Path, bad: Bad) -> Self {
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
            line: line_of(text, start),
            column: column + 1,
            text: line.to_owned(),
            width: wide.max(1),
            problem: *bad.problem,
        }
    }
}

/// The line in which a byte of the text is, counted from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
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
