//! The principal trait is [`Ask`]: a source that answers questions.

use std::future::Future;

use crate::{AskError, Question, Version};

pub(crate) type Answer = Result<Version, AskError>;

pub(crate) trait Ask: Send + Sync + 'static {
    /// Asks, on the thread of this number. The future may be dropped at any time.
    fn ask(&self, thread: usize, question: &Question) -> impl Future<Output = Answer>;
}
