//! The principal type is [`Nodes`]: the nodes of a fleet, as one of them sees them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::{Member, Position};

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

#[cfg(test)]
mod tests;
