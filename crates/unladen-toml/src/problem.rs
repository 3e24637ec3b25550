//! The principal type is [`Problem`]: what is wrong with a file, and what was probably meant.

use std::error::Error;
use std::io;
use std::path::PathBuf;

/// What is wrong with a file.
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
    /// A value that cannot be, and is never shown.
    #[error("`{key}` is something else: expected {expected}")]
    Secret {
        /// The key.
        key: String,
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
    /// Two keys that exclude each other.
    #[error("{place} has both `{first}` and `{second}`: {why}")]
    Both {
        /// The table.
        place: String,
        /// One key.
        first: &'static str,
        /// The other one.
        second: &'static str,
        /// Why not both.
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
    /// What only one reader knows.
    #[error(transparent)]
    Other(Box<dyn Error + Send + Sync>),
}

impl Problem {
    /// What only one reader knows.
    pub fn other(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Other(Box::new(error))
    }
}
