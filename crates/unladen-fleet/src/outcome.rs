//! The principal type is [`Outcome`]: result of a purge.

use std::time::Duration;

use crate::{Position, Wait};

/// Result of a purge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub wait: Wait,
    /// Its position on the bus; `None` if the engine does not have it yet. It is kept, and sent once the engine is
    /// reached.
    pub written: Option<Position>,
    /// Whether all (or as many as requested) have confirmed it; without a wait, whether it is written.
    pub is_confirmed: bool,
    pub nodes: Vec<NodeOutcome>,
    pub why: Option<String>,
    pub took: Duration,
}

/// Result of a purge on one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOutcome {
    pub node: String,
    /// Time until it was seen to have forgotten; `None` if it was not.
    pub confirmed_after: Option<Duration>,
    /// Its lease ended meanwhile: it knew so earlier, and revalidates what it stores, until it has caught up.
    pub has_left: bool,
}
