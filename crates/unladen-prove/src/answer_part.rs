//! The principal type is [`AnswerPart`]: a part of an answer that a knob is meant to change, such as `size` or `Vary`.
//!
//! ```
//! use unladen_prove::AnswerPart;
//!
//! assert_eq!("size".parse::<AnswerPart>()?, AnswerPart::Size);
//! assert_eq!("Vary".parse::<AnswerPart>()?.to_string(), "header vary");
//! assert!("two words".parse::<AnswerPart>().is_err());
//! # Ok::<(), unladen_prove::AnswerPartError>(())
//! ```

use std::fmt;
use std::str::FromStr;

use http::HeaderName;

/// A part of an answer that a knob is meant to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerPart {
    Size,
    Status,
    Body,
    Cache,
    Header(HeaderName),
}

/// Why a part was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no part of an answer: expected size, status, body, cache, or the name of a header such as Vary")]
pub struct AnswerPartError {
    pub text: String,
}

impl FromStr for AnswerPart {
    type Err = AnswerPartError;

    fn from_str(text: &str) -> Result<Self, AnswerPartError> {
        Ok(match text {
            "size" => Self::Size,
            "status" => Self::Status,
            "body" => Self::Body,
            "cache" => Self::Cache,
            name => Self::Header(name.parse().map_err(|_| AnswerPartError { text: text.to_owned() })?),
        })
    }
}

impl fmt::Display for AnswerPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => f.write_str("size of the body"),
            Self::Status => f.write_str("status"),
            Self::Body => f.write_str("body"),
            Self::Cache => f.write_str("cache that answers"),
            Self::Header(name) => write!(f, "header {name}"),
        }
    }
}
