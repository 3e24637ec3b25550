//! The principal type is [`Problem`]: what is wrong with a configuration, and what was probably meant.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

/// What is wrong with a configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It is no TOML.
    #[error("{message}")]
    Syntax {
        /// What the parser said.
        message: String,
    },
    /// A key that there is not.
    #[error("unknown key `{key}` in {place}; {meant}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The table, as `[outbound.pool]`.
        place: String,
        /// What was probably meant, or what there is.
        meant: String,
    },
    /// A word that is none of a few.
    #[error("`{key}` is `{value}`; {meant}")]
    UnknownWord {
        /// The key.
        key: String,
        /// The word.
        value: String,
        /// What was probably meant, or what there is.
        meant: String,
    },
    /// A value of the wrong type.
    #[error("`{key}` is {found}: expected {expected}")]
    WrongType {
        /// The key.
        key: String,
        /// Its type.
        found: &'static str,
        /// What it may be.
        expected: String,
    },
    /// A value that cannot be.
    #[error("`{key}` is {value}: expected {expected}")]
    Value {
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// What it may be.
        expected: String,
    },
    /// A key is missing.
    #[error("{place} has no `{key}`: {expected}")]
    Missing {
        /// The table.
        place: String,
        /// The key.
        key: &'static str,
        /// What it would be.
        expected: &'static str,
    },
    /// A name or an address that was given before.
    #[error("{what} `{name}` is already used in line {line}: {instead}")]
    Twice {
        /// Of what.
        what: &'static str,
        /// The name.
        name: String,
        /// Where it was given first, counted from 1.
        line: usize,
        /// What to do.
        instead: &'static str,
    },
    /// Two values that contradict each other.
    #[error("`{key}` is {value}, and `{other}` is {other_value}: {why}")]
    Contradiction {
        /// The key.
        key: String,
        /// Its value.
        value: String,
        /// The other key.
        other: String,
        /// Its value.
        other_value: String,
        /// Why not both, and what to do.
        why: &'static str,
    },
    /// A key that means something only where another one is.
    #[error("`{key}` {without}")]
    Alone {
        /// The key.
        key: &'static str,
        /// What is missing beside it, as "is for …: …".
        without: &'static str,
    },
    /// A file that cannot be read, or is not what it should be.
    #[error("`{key}`: cannot use the file {path}: {source}; relative paths start at the folder of this file", path = path.display())]
    Unusable {
        /// The key.
        key: String,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// What this version cannot do.
    #[error("{what}")]
    NotYet {
        /// What, and what to do.
        what: &'static str,
    },
}

/// A problem and the bytes of the text where it is.
#[derive(Debug)]
pub(super) struct Bad {
    pub(super) span: Range<usize>,
    pub(super) problem: Box<Problem>,
}

// === impl Problem ===

impl Problem {
    /// At these bytes of the text.
    pub(super) fn at(self, span: Range<usize>) -> Bad {
        Bad { span, problem: Box::new(self) }
    }
}

/// "did you mean …?", or what there is to choose from.
pub(super) fn meant(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(other) => format!("did you mean `{other}`?"),
        None => {
            format!("expected one of {}", known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The word that was probably meant.
pub(super) fn nearest<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    // Two typing errors in a long word, one in a short one.
    let word = word.to_lowercase();
    let near = |other: &&str| strsim::damerau_levenshtein(&word, other);
    let (distance, other) = known.iter().map(|other| (near(other), *other)).min()?;
    (distance <= (other.len() / 3).max(1)).then_some(other)
}
