//! The principal type is [`Outcome`]: where a purge went.

use std::time::Duration;

use crate::{Position, Wait};

/// Where a purge went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whom it was to wait for.
    pub wait: Wait,
    /// Its place on the bus; none: the engine has not taken it yet. It is kept, and sent once the engine is reached.
    pub written: Option<Position>,
    /// Whether all (or as many as asked for) have confirmed it; so it is if nobody was to be waited for and it is
    /// written.
    pub is_confirmed: bool,
    /// Each node that was in the fleet.
    pub nodes: Vec<NodeOutcome>,
    /// What stands in the way, if something does.
    pub why: Option<String>,
    /// How long it took.
    pub took: Duration,
}

/// What became of a purge on one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOutcome {
    /// Its name.
    pub node: String,
    /// After how long it was seen to have forgotten; none: it was not.
    pub confirmed_after: Option<Duration>,
    /// Its lease was over meanwhile: it knew so before, and asks about what it stores, until it has caught up.
    pub has_left: bool,
}
