//! The principal type is [`Member`]: a node that the fleet counts on.

use crate::Position;

/// A node that the fleet counts on: its lease is not over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name, which no other process has.
    pub node: String,
    /// It has forgotten all up to this.
    pub position: Position,
}
