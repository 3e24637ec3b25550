//! The principal type is [`Tally`]: what each stack and each function weighs in one request after another.

use crate::frame::{FrameId, FrameKind};
use crate::profile::{Cluster, Profile};
use crate::stack::StackId;

/// Walks the clusters of a profile. Its memory is that of the stacks, whatever the clusters hold; and a step up the tree is
/// taken once a cluster, so that a few stacks of a hundred thousand frames cost no more than they weigh.
pub(crate) struct Tally<'a> {
    profile: &'a Profile,
    /// By stack: whether its frame is not among those below it, so that what lies on it counts for the function.
    outermost: Vec<bool>,
    /// By stack: what it weighs by itself, with all that lie on it; zeros between clusters.
    weights: Vec<[u64; 2]>,
    seen: Vec<bool>,
    touched: Vec<StackId>,
    /// By frame: the same of functions, and those that are not zeros.
    functions: Vec<[u64; 2]>,
    of_functions: Vec<FrameId>,
    /// Groups, which are no functions.
    groups: Vec<bool>,
}

// === impl Tally ===

impl<'a> Tally<'a> {
    pub(crate) fn new(profile: &'a Profile) -> Self {
        let (stacks, frames) = (profile.stacks.len(), profile.frames.len());
        Self {
            profile,
            outermost: outermost(profile),
            weights: vec![[0; 2]; stacks],
            seen: vec![false; stacks],
            touched: Vec::new(),
            functions: vec![[0; 2]; frames],
            of_functions: Vec::new(),
            groups: profile.frames.iter().map(|(_, frame)| frame.kind == FrameKind::Group).collect(),
        }
    }

    /// Whether the frame is a group.
    pub(crate) fn is_group(&self, frame: FrameId) -> bool {
        self.groups[frame.index()]
    }

    /// Whether a stack's frame is its only one of this function, or the outermost of them.
    pub(crate) fn is_outermost(&self, stack: StackId) -> bool {
        self.outermost[stack.index()]
    }

    /// Calls `stack` with each stack of a cluster that weighs anything, those on others before these; with what it weighs by
    /// itself and with all that lie on it. Then `function` with each function, likewise.
    pub(crate) fn cluster(
        &mut self,
        cluster: &Cluster,
        mut stack: impl FnMut(StackId, [u64; 2]),
        mut function: impl FnMut(FrameId, [u64; 2]),
    ) {
        let stacks = &self.profile.stacks;
        for &(leaf, weight) in &cluster.weights {
            let of_itself = &mut self.weights[leaf.index()][0];
            *of_itself = of_itself.saturating_add(weight);
            let mut next = Some(leaf);
            while let Some(stack) = next.filter(|stack| !self.seen[stack.index()]) {
                self.seen[stack.index()] = true;
                self.touched.push(stack);
                next = stacks.below(stack);
            }
        }
        self.touched.sort_unstable_by(|a, b| b.cmp(a));
        for id in self.touched.drain(..) {
            self.seen[id.index()] = false;
            let [of_itself, on_it] = std::mem::take(&mut self.weights[id.index()]);
            let total = of_itself.saturating_add(on_it);
            if total == 0 {
                continue;
            }
            stack(id, [of_itself, total]);
            let (Some(below), Some(frame)) = (stacks.below(id), stacks.frame(id)) else { continue };
            let on_it = &mut self.weights[below.index()][1];
            *on_it = on_it.saturating_add(total);
            if self.groups[frame.index()] {
                continue;
            }
            let sums = &mut self.functions[frame.index()];
            if *sums == [0; 2] {
                self.of_functions.push(frame);
            }
            sums[0] = sums[0].saturating_add(of_itself);
            if self.outermost[id.index()] {
                sums[1] = sums[1].saturating_add(total);
            }
        }
        self.of_functions.sort_unstable();
        // A function of nothing by itself, inside itself, is met again before it weighs anything.
        self.of_functions.dedup();
        for id in self.of_functions.drain(..) {
            function(id, std::mem::take(&mut self.functions[id.index()]));
        }
    }
}

/// By stack: whether none below it has the same frame.
fn outermost(profile: &Profile) -> Vec<bool> {
    const NONE: u32 = u32::MAX;
    let stacks = &profile.stacks;
    let ids: Vec<StackId> = stacks.iter().collect();
    // The children of each stack as a list that is linked through them.
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
        // Up to where something lies beside.
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
