//! The principal type is [`Question`]: what is asked of a source; its answer is a [`Version`].

/// What tells a page from an earlier one: any bytes. None: there is no row, or it is null.
pub type Version = Option<Box<[u8]>>;

/// A question to be asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// As [`PathPattern::read`](crate::PathPattern::read) gives them.
    pub parameters: Vec<String>,
}
