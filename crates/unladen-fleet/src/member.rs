//! The principal type is [`Member`]: a node that the fleet counts on.

use std::sync::Arc;

use crate::plain::plain;
use crate::{BusError, Position};

/// A node that the fleet counts on: its lease is not over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    node: Arc<str>,
    position: Position,
}

/// Bytes of a node's name, at most: as `[fleet]` has it, and the digits that make it unique.
const LONGEST_NODE: usize = 96;

// === impl Member ===

impl Member {
    /// A node of this name has forgotten all up to `position`.
    ///
    /// # Errors
    /// If the name is none: it comes from the engine, and goes into answers and logs. A name is 1 to 96 letters, digits,
    /// `.`, `-` and `_`.
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

    /// Its name, which no other process has.
    pub fn node(&self) -> &str {
        &self.node
    }

    /// The name, to be kept.
    pub(crate) fn name(&self) -> Arc<str> {
        self.node.clone()
    }

    /// It has forgotten all up to this.
    pub fn position(&self) -> &Position {
        &self.position
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names went into the answers of PURGE as the engine gave them, of any length and with line ends.
    #[test]
    fn what_is_no_name_of_a_node_is_refused_and_shown_on_one_line() {
        let position = Position::new("a", 1).unwrap();
        for good in ["a", "web-1.5f3a90c2", &"x".repeat(96)] {
            assert_eq!(Member::new(good, position.clone()).unwrap().node(), good);
        }
        for bad in ["", "web-9\nweb-2 has confirmed it after 1.0 ms", "\u{1b}[2J", "a b", &"x".repeat(97), "=mark"] {
            let error = Member::new(bad, position.clone()).unwrap_err().to_string();
            assert!(!error.contains(['\n', '\u{1b}']) && error.len() < 400, "{error:?}");
        }
        let long = Member::new(&"x".repeat(60_000), position).unwrap_err().to_string();
        assert!(long.len() < 400, "{long}");
    }
}
