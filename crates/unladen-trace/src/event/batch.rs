//! The principal type is [`Batch`].

use super::Event;
use super::count::Count;

/// What was traced since the last batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Oldest first.
    pub events: Vec<Event>,
    pub counts: Vec<Count>,
    pub lost: u64,
}
