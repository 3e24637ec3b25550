//! The principal type is [`RunError`]: a run that ended with an error.

use crate::error::LoadError;
use crate::tally::Tally;

/// A run that ended with an error, and what it had counted until then.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct RunError {
    /// What ended it.
    #[source]
    pub error: LoadError,
    /// What came before.
    pub tally: Box<Tally>,
}
