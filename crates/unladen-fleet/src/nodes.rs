//! The principal type is [`Nodes`]: the nodes of a fleet, for whoever looks at one of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::{Member, Position};

/// Nodes that are kept.
const KEPT: usize = 256;
/// Copies are made this often at most: while somebody waits for a purge, the list is looked at many times a second.
const EVERY: Duration = Duration::from_secs(1);

/// The nodes of a fleet, as one of them looked at them last.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    /// When; none: not yet.
    pub looked: Option<Instant>,
    /// Those that are furthest behind first, 256 at most.
    pub nodes: Arc<[NodeState]>,
    /// How many there are in all.
    pub all: usize,
}

/// A node, as the engine's list has it: the fleet counts on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeState {
    /// Its name.
    pub node: Arc<str>,
    /// Purges that are on the bus and that it has not forgotten; none: it reads another history of the engine.
    pub behind: Option<u64>,
}

impl Nodes {
    /// The bus ends at `end`, and has these nodes.
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
