//! The principal type is [`Tally`]: weights of stacks and functions, request by request.

use crate::frame::{FrameId, FrameKind};
use crate::profile::{Cluster, Profile};
use crate::stack::StackId;

/// Walks the clusters of a profile. Its memory depends on the stacks only; and each step up the tree is taken once per
/// cluster, so that a few stacks of a hundred thousand frames cost no more than they weigh.
pub(crate) struct Tally {
    /// By stack: everything for a step is in one place, since most steps miss all caches.
    nodes: Vec<Node>,
    touched: Vec<StackId>,
    /// Where in `touched` each way up begins.
    ways: Vec<usize>,
    /// By frame: own and total weights, and which functions are not zero.
    functions: Vec<[u64; 2]>,
    of_functions: Vec<FrameId>,
}

struct Node {
    of_itself: u64,
    on_it: u64,
    /// The root's is the root.
    below: StackId,
    function: Option<FrameId>,
    /// Whether no stack below has its frame, so that weights on it count for the function.
    is_outermost: bool,
    is_seen: bool,
}

impl Tally {
    pub(crate) fn new(profile: &Profile) -> Self {
        let stacks = &profile.stacks;
        let outermost = outermost(profile);
        let node = |stack| Node {
            of_itself: 0,
            on_it: 0,
            below: stacks.below(stack).unwrap_or(stacks.root()),
            function: stacks.frame(stack).filter(|frame| profile.frames.get(*frame).kind != FrameKind::Group),
            is_outermost: outermost[stack.index()],
            is_seen: false,
        };
        Self {
            nodes: stacks.iter().map(node).collect(),
            touched: Vec::new(),
            ways: Vec::new(),
            functions: vec![[0; 2]; profile.frames.len()],
            of_functions: Vec::new(),
        }
    }

    /// The function of a stack with no other of that function below it, to which weights on the stack count.
    pub(crate) fn outermost_function(&self, stack: StackId) -> Option<FrameId> {
        let node = &self.nodes[stack.index()];
        node.function.filter(|_| node.is_outermost)
    }

    pub(crate) fn caller(&self, stack: StackId) -> Option<FrameId> {
        self.nodes[self.nodes[stack.index()].below.index()].function
    }

    /// Calls `stack` with each stack of a cluster that has weight, top ones first, with own and total weight; then
    /// `function` with each function, likewise.
    pub(crate) fn cluster(
        &mut self,
        cluster: &Cluster,
        mut stack: impl FnMut(StackId, [u64; 2]),
        mut function: impl FnMut(FrameId, [u64; 2]),
    ) {
        for &(leaf, weight) in &cluster.weights {
            let node = &mut self.nodes[leaf.index()];
            node.of_itself = node.of_itself.saturating_add(weight);
            self.ways.push(self.touched.len());
            let mut id = leaf;
            // The root is below itself, so it ends the loop when it is seen again.
            while !std::mem::replace(&mut self.nodes[id.index()].is_seen, true) {
                self.touched.push(id);
                id = self.nodes[id.index()].below;
            }
        }
        // A way up ends on an earlier one, so the last comes first: everything on a stack then precedes it.
        let mut end = self.touched.len();
        while let Some(begin) = self.ways.pop() {
            for at in begin..end {
                let id = self.touched[at];
                self.take(id, &mut stack);
            }
            end = begin;
        }
        self.touched.clear();
        self.of_functions.sort_unstable();
        // A recursive function without own weight is met again before it weighs anything.
        self.of_functions.dedup();
        for id in self.of_functions.drain(..) {
            function(id, std::mem::take(&mut self.functions[id.index()]));
        }
    }

    fn take(&mut self, id: StackId, stack: &mut impl FnMut(StackId, [u64; 2])) {
        let node = &mut self.nodes[id.index()];
        node.is_seen = false;
        let of_itself = std::mem::take(&mut node.of_itself);
        let total = of_itself.saturating_add(std::mem::take(&mut node.on_it));
        if total == 0 {
            return;
        }
        stack(id, [of_itself, total]);
        let (below, function, is_outermost) = (node.below, node.function, node.is_outermost);
        if below == id {
            return;
        }
        let below = &mut self.nodes[below.index()];
        below.on_it = below.on_it.saturating_add(total);
        if let Some(frame) = function {
            let sums = &mut self.functions[frame.index()];
            if *sums == [0; 2] {
                self.of_functions.push(frame);
            }
            sums[0] = sums[0].saturating_add(of_itself);
            if is_outermost {
                sums[1] = sums[1].saturating_add(total);
            }
        }
    }
}

/// By stack: whether none below it has the same frame.
fn outermost(profile: &Profile) -> Vec<bool> {
    const NONE: u32 = u32::MAX;
    let stacks = &profile.stacks;
    let ids: Vec<StackId> = stacks.iter().collect();
    // The children of each stack as a linked list.
    let mut first = vec![NONE; ids.len()];
    let mut next = vec![NONE; ids.len()];
    for id in ids.iter().rev() {
        if let Some(below) = stacks.below(*id) {
            next[id.index()] = std::mem::replace(&mut first[below.index()], id.index() as u32);
        }
    }
    let mut outermost = vec![false; ids.len()];
    let mut depth = vec![0_u32; profile.frames.len()];
    let mut at = stacks.root();
    loop {
        if let Some(frame) = stacks.frame(at) {
            outermost[at.index()] = depth[frame.index()] == 0;
            depth[frame.index()] += 1;
        }
        if first[at.index()] != NONE {
            at = ids[first[at.index()] as usize];
            continue;
        }
        // Up to a stack with a sibling.
        loop {
            let (Some(frame), Some(below)) = (stacks.frame(at), stacks.below(at)) else { return outermost };
            depth[frame.index()] -= 1;
            if next[at.index()] != NONE {
                at = ids[next[at.index()] as usize];
                break;
            }
            at = below;
        }
    }
}

#[cfg(test)]
mod tests;
