//! The principal type is [`Member`]: a node that the fleet relies on.

use std::sync::Arc;

use crate::plain::plain;
use crate::{BusError, Position};

/// A node that the fleet relies on: its lease is not over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    node: Arc<str>,
    position: Position,
}

/// Maximum bytes of a node's name: as in `[fleet]`, with the digits that make it unique.
const LONGEST_NODE: usize = 96;

impl Member {
    /// A node of this name that has forgotten all up to `position`.
    ///
    /// # Errors
    /// If the name is invalid: it comes from the engine, and goes into answers and logs. A name is 1 to 96 letters,
    /// digits, `.`, `-` and `_`.
    pub fn new(node: &str, position: Position) -> Result<Self, BusError> {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        if (1..=LONGEST_NODE).contains(&node.len()) && node.bytes().all(is_known) {
            return Ok(Self { node: node.into(), position });
        }
        let beginning: String = node.chars().take(LONGEST_NODE).collect();
        Err(BusError::Answer(format!(
            "its list of nodes has `{}`, which is no name of a node: 1 to {LONGEST_NODE} letters, digits, `.`, `-`, `_`",
            plain(&beginning)
        )))
    }

    /// Its unique name.
    pub fn node(&self) -> &str {
        &self.node
    }

    pub(crate) fn name(&self) -> Arc<str> {
        self.node.clone()
    }

    /// It has forgotten all up to this.
    pub fn position(&self) -> &Position {
        &self.position
    }
}

#[cfg(test)]
mod tests;
