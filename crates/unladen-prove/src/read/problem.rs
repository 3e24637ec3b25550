//! The principal type is [`Problem`]: what is wrong with an experiment file, and what was probably meant.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use unladen_load::{HeaderError, RequestError, StatusesError, UrlListError};

use crate::fault::CommandFault;
use crate::quantile::QuantileError;

/// What is wrong with an experiment file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It is no TOML.
    #[error("{message}")]
    Syntax {
        /// What the parser said.
        message: String,
    },
    /// The command for variables failed.
    #[error("the variables are not to be had: {fault}")]
    Variables {
        /// Why.
        fault: Box<CommandFault>,
    },
    /// A key that there is not.
    #[error("there is no `{key}` in {place}; {meant}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The table, as `[load]`.
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
    /// A value out of bounds.
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
    /// A key that means something beside another one alone.
    #[error("`{key}` {without}")]
    Alone {
        /// The key.
        key: &'static str,
        /// What is missing beside it, as "without …: …".
        without: &'static str,
    },
    /// A name that was given before.
    #[error("there are two {what} of the name `{name}`: give this one another")]
    Twice {
        /// Of what.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A service that there is not.
    #[error("there is no service `{name}`; {meant}")]
    UnknownService {
        /// The name.
        name: String,
        /// What was probably meant, or what there is.
        meant: String,
    },
    /// A command that goes one way only.
    #[error(
        "the knob `{knob}` has a command for `{has}` and none for `{lacks}`: what a command does, only another can undo \
         (`true` does nothing)"
    )]
    OneWay {
        /// The knob.
        knob: String,
        /// The side that has one.
        has: &'static str,
        /// The side that has none.
        lacks: &'static str,
    },
    /// Two changes of one thing, of which the second would undo the first.
    #[error("{what} is changed by {first} already: what it is would depend on the order")]
    Claimed {
        /// What.
        what: String,
        /// By whom.
        first: String,
    },
    /// A design that does not fit the knobs.
    #[error("the design `{design}` {needs}, and there are {knobs}: {instead}")]
    Design {
        /// The design.
        design: &'static str,
        /// How many knobs it needs.
        needs: &'static str,
        /// How many there are.
        knobs: usize,
        /// What to do in its place.
        instead: &'static str,
    },
    /// A file that cannot be read.
    #[error("cannot read {path}: {source}; relative paths begin at the folder of this file", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A URL, method or cookie that is none.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// A header that is none.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// A set of statuses that is none.
    #[error(transparent)]
    Statuses(#[from] StatusesError),
    /// A quantile that is none.
    #[error(transparent)]
    Quantile(#[from] QuantileError),
    /// A list of URLs that is none.
    #[error(transparent)]
    UrlList(#[from] UrlListError),
}

/// A problem and the bytes of the text where it is.
#[derive(Debug)]
pub(crate) struct Bad {
    pub(crate) span: Range<usize>,
    pub(crate) problem: Problem,
}

// === impl Problem ===

impl Problem {
    /// At these bytes of the text.
    pub(crate) fn at(self, span: Range<usize>) -> Bad {
        Bad { span, problem: self }
    }
}

/// "did you mean …?", or what there is to choose from.
pub(crate) fn meant(word: &str, known: &[&str]) -> String {
    // Two typing errors in a long word, one in a short one.
    let near = |other: &str| strsim::damerau_levenshtein(&word.to_lowercase(), other);
    match known.iter().map(|other| (near(other), other)).min() {
        Some((distance, other)) if distance <= (other.len() / 3).max(1) => format!("did you mean `{other}`?"),
        Some(_) => format!("there is {}", known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")),
        None => "there is none".into(),
    }
}
