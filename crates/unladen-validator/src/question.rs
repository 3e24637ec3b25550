//! The principal type is [`Question`]: a question to a source; its answer is a [`Version`].

/// Distinguishes a page from earlier ones: any bytes. `None` if there is no row, or it is null.
pub type Version = Option<Box<[u8]>>;

/// A question to a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The values of [`PathPattern::read`](crate::PathPattern::read).
    pub parameters: Vec<String>,
}
