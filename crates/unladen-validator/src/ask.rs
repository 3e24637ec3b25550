//! The principal trait is [`Ask`]: whom a question can be asked.

use std::future::Future;

use crate::{AskError, Question, Version};

/// What a question leads to.
pub(crate) type Answer = Result<Version, AskError>;

/// Whom to ask.
pub(crate) trait Ask: Send + Sync + 'static {
    /// Asks, on the thread of this number. The future may be dropped at any time.
    fn ask(&self, thread: usize, question: &Question) -> impl Future<Output = Answer>;
}
