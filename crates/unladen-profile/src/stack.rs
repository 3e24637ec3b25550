//! The principal type is [`Stacks`]: all stacks of a profile as one tree, so that common beginnings are stored once.

use indexmap::IndexSet;

use crate::frame::FrameId;

/// A stack: its innermost frame, and the stack below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackId(u32);

/// The stacks of a profile. A stack's id is greater than that of the one below it.
#[derive(Debug, Clone, Default)]
pub struct Stacks {
    /// Without the root.
    nodes: IndexSet<Node>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    below: StackId,
    frame: FrameId,
}

impl StackId {
    /// From 0, the root.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Stacks {
    /// The stack without frames.
    pub fn root(&self) -> StackId {
        StackId(0)
    }

    /// The stack with one more frame on top.
    pub fn push(&mut self, below: StackId, frame: FrameId) -> StackId {
        StackId(self.nodes.insert_full(Node { below, frame }).0 as u32 + 1)
    }

    /// The stack of these frames, outermost first.
    pub fn intern(&mut self, frames: impl IntoIterator<Item = FrameId>) -> StackId {
        let root = self.root();
        frames.into_iter().fold(root, |below, frame| self.push(below, frame))
    }

    /// The stack below; `None` for the root.
    pub fn below(&self, stack: StackId) -> Option<StackId> {
        Some(self.node(stack)?.below)
    }

    /// The innermost frame; `None` for the root.
    pub fn frame(&self, stack: StackId) -> Option<FrameId> {
        Some(self.node(stack)?.frame)
    }

    /// The frames from the innermost to the outermost.
    pub fn inwards_out(&self, stack: StackId) -> impl Iterator<Item = FrameId> {
        std::iter::successors(self.node(stack), |node| self.node(node.below)).map(|node| node.frame)
    }

    /// The frames from the outermost to the innermost.
    pub fn outwards_in(&self, stack: StackId) -> Vec<FrameId> {
        let mut frames: Vec<FrameId> = self.inwards_out(stack).collect();
        frames.reverse();
        frames
    }

    pub(crate) fn id(&self, index: u32) -> Option<StackId> {
        ((index as usize) < self.len()).then_some(StackId(index))
    }

    /// Number of stacks, including the root.
    pub fn len(&self) -> usize {
        self.nodes.len() + 1
    }

    /// Whether there is only the root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All stacks by id, each after the one below it.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = StackId> + use<> {
        (0..=self.nodes.len() as u32).map(StackId)
    }

    /// Adds to the value of each stack those of all stacks on it; by stack index.
    pub(crate) fn totals<T: Copy>(&self, of_themselves: Vec<T>, add: impl Fn(T, T) -> T) -> Vec<T> {
        let mut totals = of_themselves;
        for stack in self.iter().rev() {
            if let Some(below) = self.below(stack) {
                totals[below.index()] = add(totals[below.index()], totals[stack.index()]);
            }
        }
        totals
    }

    fn node(&self, stack: StackId) -> Option<Node> {
        self.nodes.get_index(stack.index().checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests;
