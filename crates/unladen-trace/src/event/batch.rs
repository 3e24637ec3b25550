//! The principal type is [`Batch`]: what is handed over at once.

use super::Event;
use super::count::Count;

/// What was traced since the batch before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Events, oldest first.
    pub events: Vec<Event>,
    pub counts: Vec<Count>,
    /// Events that were lost for lack of room.
    pub lost: u64,
}
