//! The principal type is [`Validator`]: asks.

use std::sync::Arc;

use crate::{PathPattern, PatternError, ValidatorSettings};

/// What tells a page from an earlier one: any bytes. None: there is no row, or it is null.
pub type Version = Option<Box<[u8]>>;

/// Asks. Shared by all threads.
#[derive(Debug)]
pub struct Validator {}

/// A question to be asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// As [`PathPattern::read`] gives them.
    pub parameters: Vec<String>,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AskError {
    #[error("no answer in time")]
    Timeout,
    #[error("{0}")]
    Database(Arc<str>),
}

impl Validator {
    /// For so many threads.
    pub fn new(settings: ValidatorSettings, threads: usize) -> Result<Self, PatternError> {
        todo!()
    }

    pub fn settings(&self) -> &ValidatorSettings {
        todo!()
    }

    pub fn pattern(&self) -> &PathPattern {
        todo!()
    }

    /// Asks, on a connection of this thread, or shares an answer to the same question that is sent after this is called.
    pub async fn ask(self: &Arc<Self>, thread: usize, question: Question) -> Result<Version, AskError> {
        todo!()
    }
}
