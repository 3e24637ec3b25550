//! The principal type is [`ConfigError`]: why a file is no configuration, with every place that is wrong.

use std::hash::{Hash, Hasher};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use unladen_toml::{Mistakes, Place};

/// Why a file is no configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    #[error("cannot read the configuration {file}: {source}", file = file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("the configuration {file} is not UTF-8 text", file = file.display())]
    NoText { file: PathBuf },
    /// All mistakes, at least one.
    #[error("{0}")]
    Bad(Mistakes),
}

impl ConfigError {
    /// A number that differs for different mistakes.
    pub fn stamp(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.to_string().hash(&mut hasher);
        hasher.finish()
    }
}

impl From<ConfigError> for io::Error {
    fn from(error: ConfigError) -> Self {
        io::Error::other(error)
    }
}

/// Mistakes that only a configuration can have, and not any TOML file.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigProblem {
    #[error("{what} `{name}` is already used in line {line}: {instead}")]
    Twice { what: &'static str, name: String, line: usize, instead: &'static str },
    #[error("`{key}` is {value}, and `{other}` is {other_value}: {why}")]
    Contradiction { key: String, value: String, other: String, other_value: String, why: &'static str },
    #[error("{what}")]
    Elsewhere { what: &'static str },
}

/// Something allowed that is perhaps a mistake.
#[derive(Clone, Debug, PartialEq, Eq, derive_more::Display)]
#[display("{}:{line}:{column}: {message}", file.display())]
pub struct Warning {
    pub file: PathBuf,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The consequence, and what to do.
    pub message: String,
}

impl Warning {
    pub(super) fn new(text: &str, file: &Path, span: Range<usize>, message: String) -> Self {
        let Place { line, column } = Place::of(text, span.start);
        Self { file: file.to_owned(), line, column, message }
    }
}
