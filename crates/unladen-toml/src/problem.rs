//! The principal type is [`Problem`]: a mistake in a file, and what was probably meant.

use std::error::Error;
use std::io;
use std::ops::Range;
use std::path::PathBuf;

/// A mistake in a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    #[error("{message}")]
    Syntax { message: String },
    #[error("unknown key `{key}` in {place}; {meant}")]
    UnknownKey { key: String, place: String, meant: String },
    #[error("`{key}` is `{value}`; {meant}")]
    UnknownWord { key: String, value: String, meant: String },
    #[error("`{key}` is {found}: expected {expected}")]
    WrongType { key: String, found: &'static str, expected: String },
    #[error("`{key}` is {value}: expected {expected}")]
    Value { key: String, value: String, expected: String },
    /// An invalid value that is never shown.
    #[error("`{key}` is invalid: expected {expected}")]
    Secret { key: String, expected: String },
    #[error("{place} has no `{key}`: {expected}")]
    Missing { place: String, key: &'static str, expected: &'static str },
    #[error("{place} has both `{first}` and `{second}`: {why}")]
    Both { place: String, first: &'static str, second: &'static str, why: &'static str },
    /// A key that needs another one.
    #[error("`{key}` {without}")]
    Alone {
        key: &'static str,
        /// What is missing beside it, as "is for …: …".
        without: &'static str,
    },
    /// A file that cannot be read, or is not what it should be.
    #[error("`{key}`: cannot use the file {path}: {source}; relative paths start at the folder of this file", path = path.display())]
    Unusable { key: String, path: PathBuf, source: io::Error },
    #[error(transparent)]
    Other(Box<dyn Error + Send + Sync>),
}

impl Problem {
    /// A problem of a reader's own kind.
    pub fn other(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Other(Box::new(error))
    }

    /// Places the problem at these bytes of the text.
    pub fn at(self, span: Range<usize>) -> Bad {
        Bad { span, problem: Box::new(self) }
    }
}

/// "did you mean …?", or the list of choices.
pub fn meant(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(other) => format!("did you mean `{other}`?"),
        None if known.is_empty() => "there are none".into(),
        None => {
            format!("expected one of {}", known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The word that was probably meant.
pub fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    // Two typing errors in a long word, one in a short one.
    let word = word.to_lowercase();
    let near = |other: &&str| strsim::damerau_levenshtein(&word, other);
    let (distance, other) = known.iter().map(|other| (near(other), *other)).min()?;
    (distance <= (other.len() / 3).max(1)).then_some(other)
}

/// A problem, and its place in the text.
#[derive(Debug)]
pub struct Bad {
    /// In bytes.
    pub span: Range<usize>,
    pub problem: Box<Problem>,
}
