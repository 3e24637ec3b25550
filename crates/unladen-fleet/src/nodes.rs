//! The principal type is [`Nodes`]: the nodes of a fleet, as one of them sees them; also its own state, and what became
//! of its purges.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::error::plain;
use crate::{BusError, Position, Wait};

const KEPT: usize = 256;
/// Minimum interval of copies: while a purge waits, the list is read many times a second.
const EVERY: Duration = Duration::from_secs(1);

/// The nodes of a fleet, as of one node's last look.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    /// Time of the look; `None` before the first.
    pub looked: Option<Instant>,
    /// Those that are furthest behind first, 256 at most.
    pub nodes: Arc<[NodeState]>,
    pub all: usize,
}

/// A node in the engine's list: the fleet relies on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeState {
    pub node: Arc<str>,
    /// Purges on the bus that it has not forgotten yet; `None` if it reads another history of the engine.
    pub behind: Option<u64>,
}

impl Nodes {
    pub(crate) fn look(&mut self, end: &Position, members: &[Member], now: Instant) {
        if self.looked.is_some_and(|looked| now.saturating_duration_since(looked) < EVERY) {
            return;
        }
        let behind = |member: &Member| {
            let position = member.position();
            (position.epoch() == end.epoch()).then(|| end.index().saturating_sub(position.index()))
        };
        let mut nodes: Vec<_> = members.iter().map(|member| (behind(member), member)).collect();
        let order = |(behind, _): &(Option<u64>, &Member)| std::cmp::Reverse(behind.unwrap_or(u64::MAX));
        if nodes.len() > KEPT {
            nodes.select_nth_unstable_by_key(KEPT, order);
            nodes.truncate(KEPT);
        }
        nodes.sort_by(|one, other| order(one).cmp(&order(other)).then_with(|| one.1.node().cmp(other.1.node())));
        self.nodes = nodes.into_iter().map(|(behind, member)| NodeState { node: member.name(), behind }).collect();
        self.all = members.len();
        self.looked = Some(now);
    }
}

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

/// State of this node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetState {
    /// The engine's URL without secrets.
    pub bus: String,
    pub node: String,
    pub is_connected: bool,
    /// Records known to be written, and not forgotten here yet.
    pub lag: u64,
    /// Age of the last confirmation by the engine; `None` if there was none.
    pub last_beat: Option<Duration>,
    pub members: u64,
    /// Purges of this node that the engine has accepted.
    pub sent: u64,
    /// Purges of this node that wait for the engine.
    pub waiting: u64,
    /// Purges of other nodes applied here.
    pub received: u64,
    /// Those of them that came while this node was cut off.
    pub late: u64,
    /// Those that came twice.
    pub repeated: u64,
    pub unreadable: u64,
    /// How often missed purges were unknown.
    pub lost: u64,
    pub cut_offs: u64,
    pub cut_off: Duration,
    pub error: Option<String>,
}

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
            "its list of nodes has `{}`, which is not a node's name: 1 to {LONGEST_NODE} letters, digits, `.`, `-`, \
             `_`",
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
