//! The principal type is [`RunError`]: a run that ended with an error.

use crate::error::LoadError;
use crate::tally::Tally;

/// A run that ended with an error, and its counts until then.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct RunError {
    #[source]
    pub error: LoadError,
    pub tally: Box<Tally>,
}
