//! The principal function is [`grep`]: the stacks in which a function occurs.

use crate::profile::Profile;

/// What a frame's name or file must hold.
#[derive(Debug, Clone)]
pub struct Pattern(regex::Regex);

/// No regular expression.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is no regular expression: {source}")]
pub struct PatternError {
    text: String,
    source: regex::Error,
}

// === impl Pattern ===

impl std::str::FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        regex::Regex::new(text).map(Self).map_err(|source| PatternError { text: text.to_owned(), source })
    }
}

/// The profile of those stacks alone that have a frame which matches; with `invert`, of those that have none.
pub fn grep(profile: &Profile, pattern: &Pattern, invert: bool) -> Profile {
    let _ = (profile, &pattern.0, invert);
    todo!()
}
