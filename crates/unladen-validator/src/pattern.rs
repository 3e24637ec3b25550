//! The principal type is [`PathPattern`]: which pages are meant, and what their paths say.

/// Literal segments, `{name}` for one segment, `{name*}` for all that is left (at least one segment).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathPattern {}

/// What a path says, in the order of the pattern's names: percent-decoded once, UTF-8, without NUL and without `/`
/// (but those of `{name*}` between segments).
pub type Parameters = Vec<String>;

/// Why a pattern is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("it does not begin with `/`")]
    NoSlash,
}

impl PathPattern {
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        todo!()
    }

    /// The names in it, in their order.
    pub fn names(&self) -> &[String] {
        todo!()
    }

    /// What a target (path and query) says; none: it is not meant. The query is not looked at.
    pub fn read(&self, target: &[u8]) -> Option<Parameters> {
        todo!()
    }
}
