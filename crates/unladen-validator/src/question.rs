//! The principal type is [`Question`]: a question to a source; its answer is a [`Version`].

use std::future::Future;
use std::sync::Arc;

/// Distinguishes a page from earlier ones: any bytes. `None` if there is no row, or it is null.
pub type Version = Option<Box<[u8]>>;

/// A question to a source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The values of [`PathPattern::read`](crate::PathPattern::read).
    pub parameters: Vec<String>,
}

/// Why there is no answer. No message shows a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr)]
#[non_exhaustive]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum AskError {
    #[error("no answer in time")]
    Timeout,
    /// The server cannot be reached, or has gone away.
    #[error("cannot be reached: {0}")]
    Unreachable(Arc<str>),
    /// The server is there, but refuses us.
    #[error("refused: {0}")]
    Refused(Arc<str>),
    /// The question is wrong: there is no such table, no permission …
    #[error("the query fails: {0}")]
    Query(Arc<str>),
    /// More different questions at a time than are kept.
    #[error("too many queries at a time")]
    TooMany,
}

pub(crate) type Answer = Result<Version, AskError>;

pub(crate) trait Ask: Send + Sync + 'static {
    /// Asks, on the thread of this number. The future may be dropped at any time.
    fn ask(&self, thread: usize, question: &Question) -> impl Future<Output = Answer>;
}
