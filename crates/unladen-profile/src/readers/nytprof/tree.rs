//! The principal type is [`Tree`]: calls, with counts and own times.

use std::collections::BTreeMap;

use super::subs::Sub;

/// Distinct call paths in one request.
const MAX_NODES: usize = 2 << 20;

#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    free: Vec<NodeId>,
}

pub(super) type NodeId = u32;

#[derive(Default)]
pub(super) struct Node {
    /// Own time in ticks; whole numbers, of which doubles hold sums exactly.
    pub(super) ticks: f64,
    pub(super) calls: u64,
    pub(super) called: BTreeMap<Sub, NodeId>,
}

#[derive(Debug)]
pub(super) struct TooManyPaths;

impl Tree {
    pub(super) fn add_node(&mut self) -> Result<NodeId, TooManyPaths> {
        if let Some(id) = self.free.pop() {
            return Ok(id);
        }
        if self.nodes.len() == MAX_NODES {
            return Err(TooManyPaths);
        }
        self.nodes.push(Node::default());
        Ok(self.nodes.len() as NodeId - 1)
    }

    /// Adds calls below `caller`, and the callees in `below`, which then is no node of its own.
    pub(super) fn add_calls(
        &mut self,
        caller: NodeId,
        sub: Sub,
        calls: u64,
        ticks: f64,
        below: Option<NodeId>,
    ) -> Result<(), TooManyPaths> {
        let known = self.nodes[caller as usize].called.get(&sub).copied();
        let id = match (known, below) {
            (Some(known), Some(below)) => {
                self.merge(known, below);
                known
            }
            (Some(known), None) => known,
            (None, below) => {
                let id = below.map_or_else(|| self.add_node(), Ok)?;
                self.nodes[caller as usize].called.insert(sub, id);
                id
            }
        };
        let node = &mut self.nodes[id as usize];
        node.calls += calls;
        node.ticks += ticks;
        Ok(())
    }

    /// Removes everything below a node, and passes each path's last subroutine and its node to `visit`, with the
    /// latter's result for the path before.
    pub(super) fn drain<P: Copy, E>(
        &mut self,
        root: NodeId,
        path: P,
        mut visit: impl FnMut(P, Sub, &Node) -> Result<P, E>,
    ) -> Result<(), E> {
        let mut rest = vec![(root, path)];
        while let Some((id, path)) = rest.pop() {
            for (sub, below) in std::mem::take(&mut self.nodes[id as usize].called) {
                let path = visit(path, sub, &self.nodes[below as usize])?;
                rest.push((below, path));
            }
            if id != root {
                self.discard(id);
            }
        }
        Ok(())
    }

    /// Adds `from`, with everything below it, to `into`. The smaller of two is walked, so that a subtree merged at each
    /// of its depths is not walked as often.
    fn merge(&mut self, into: NodeId, from: NodeId) {
        let mut rest = vec![(into, from)];
        while let Some((into, from)) = rest.pop() {
            let Node { ticks, calls, mut called } = std::mem::take(&mut self.nodes[from as usize]);
            self.free.push(from);
            let node = &mut self.nodes[into as usize];
            node.ticks += ticks;
            node.calls += calls;
            if called.len() > node.called.len() {
                std::mem::swap(&mut called, &mut node.called);
            }
            for (sub, id) in called {
                match node.called.entry(sub) {
                    std::collections::btree_map::Entry::Vacant(vacant) => {
                        vacant.insert(id);
                    }
                    std::collections::btree_map::Entry::Occupied(known) => rest.push((*known.get(), id)),
                }
            }
        }
    }

    fn discard(&mut self, id: NodeId) {
        self.nodes[id as usize] = Node::default();
        self.free.push(id);
    }
}
