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

// === impl Nodes ===

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
mod tests {
    use super::*;

    fn members(all: &[(&str, &str, u64)]) -> Vec<Member> {
        all.iter().map(|(node, epoch, n)| Member::new(node, Position::new(epoch, *n).unwrap()).unwrap()).collect()
    }

    #[test]
    fn who_is_furthest_behind_is_first() {
        let mut nodes = Nodes::default();
        let now = Instant::now();
        let end = Position::new("a", 10).unwrap();
        nodes.look(&end, &members(&[("c", "a", 10), ("b", "a", 12), ("a", "a", 3), ("d", "z", 9)]), now);
        let told: Vec<_> = nodes.nodes.iter().map(|node| (&*node.node, node.behind)).collect();
        assert_eq!(told, [("d", None), ("a", Some(7)), ("b", Some(0)), ("c", Some(0))]);
        assert_eq!((nodes.all, nodes.looked), (4, Some(now)));
        // Not many times a second.
        nodes.look(&end, &[], now + EVERY / 2);
        assert_eq!(nodes.all, 4);
        nodes.look(&end, &[], now + EVERY);
        assert_eq!((nodes.all, nodes.nodes.len()), (0, 0));
    }

    #[test]
    fn of_thousands_those_are_kept_that_matter() {
        let names: Vec<String> = (0..1000).map(|n| format!("n{n}")).collect();
        let all: Vec<_> = names.iter().zip(0..).map(|(name, n)| (name.as_str(), "a", n)).collect();
        let mut nodes = Nodes::default();
        nodes.look(&Position::new("a", 1000).unwrap(), &members(&all), Instant::now());
        assert_eq!((nodes.all, nodes.nodes.len()), (1000, KEPT));
        assert_eq!((&*nodes.nodes[0].node, nodes.nodes[0].behind), ("n0", Some(1000)));
        assert_eq!(nodes.nodes[KEPT - 1].behind, Some(1000 - KEPT as u64 + 1));
    }
}
