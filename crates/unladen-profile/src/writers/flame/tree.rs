//! The principal type is [`Tree`]: the boxes drawn, each before those on top of it.

use crate::frame::{FrameId, Frames};
use crate::stack::{StackId, Stacks};

/// Bound whatever the least width: browsers show this many without delay.
const MOST_BOXES: usize = 50_000;
/// Browsers draw no higher picture well.
const MOST_LEVELS: u32 = 1_000;

pub(super) struct Tree {
    /// The first is the root, for everything.
    pub(super) boxes: Vec<Placed>,
    /// Including the root's.
    pub(super) levels: u32,
    pub(super) left_out: LeftOut,
}

pub(super) struct Placed {
    pub(super) stack: StackId,
    pub(super) frame: Option<FrameId>,
    pub(super) depth: u32,
    /// The weights drawn; in a comparison, the candidate's.
    pub(super) drawn: Weighed,
    /// In a comparison, the baseline's.
    pub(super) other: Weighed,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Weighed {
    pub(super) start: f64,
    pub(super) total: f64,
    pub(super) own: f64,
}

#[derive(Clone, Copy, Default)]
pub(super) struct LeftOut {
    pub(super) boxes: usize,
    /// Their largest part of a whole.
    pub(super) part: f64,
    pub(super) is_deep: bool,
}

// === impl Tree ===

impl Tree {
    /// `own` has one or two lists of own weights by stack index; `least` is the part of the whole that a box needs in
    /// one of them.
    pub(super) fn new(stacks: &Stacks, frames: &Frames, mut own: Vec<Vec<f64>>, least: f64) -> Self {
        for weights in &mut own {
            weights.resize(stacks.len(), 0.0);
            // Invalid weights count as 0.
            weights
                .iter_mut()
                .filter(|weight| !(weight.is_finite() && **weight > 0.0))
                .for_each(|weight| *weight = 0.0);
        }
        let add = |one: f64, other: f64| (one + other).min(f64::MAX);
        let totals: Vec<Vec<f64>> = own.iter().map(|own| stacks.totals(own.clone(), add)).collect();
        let weigh = |side: usize, stack: StackId| Weighed {
            start: 0.0,
            total: totals.get(side).map_or(0.0, |totals| totals[stack.index()]),
            own: own.get(side).map_or(0.0, |own| own[stack.index()]),
        };
        let (kept, levels, left_out) = kept(stacks, &totals, least);
        let above = Above::new(stacks, frames, kept);
        let mut boxes: Vec<Placed> = Vec::with_capacity(above.sorted.len() + 1);
        let mut todo = vec![(stacks.root(), 0, [0.0, 0.0])];
        while let Some((stack, depth, starts)) = todo.pop() {
            let [mut drawn, mut other] = [weigh(0, stack), weigh(1, stack)];
            (drawn.start, other.start) = (starts[0], starts[1]);
            boxes.push(Placed { stack, frame: stacks.frame(stack), depth, drawn, other });
            let (mut starts, first) = (starts, todo.len());
            for on_top in above.of(stack) {
                todo.push((*on_top, depth + 1, starts));
                starts = [starts[0] + weigh(0, *on_top).total, starts[1] + weigh(1, *on_top).total];
            }
            todo[first..].reverse();
        }
        Self { boxes, levels, left_out }
    }

    pub(super) fn whole(&self) -> f64 {
        self.boxes.first().map_or(0.0, |root| root.drawn.total)
    }
}

/// Stacks wide enough, without the root, the number of their levels, and the rest.
///
/// A box is never wider than what it lies on, so everything below a kept box is kept.
fn kept(stacks: &Stacks, totals: &[Vec<f64>], least: f64) -> (Vec<StackId>, u32, LeftOut) {
    let root = stacks.root().index();
    let part = |stack: StackId| -> f64 {
        let parts = totals.iter().map(|totals| totals[stack.index()] / totals[root]);
        parts.filter(|part| part.is_finite()).fold(0.0, f64::max)
    };
    let mut depths = vec![0_u32; stacks.len()];
    let mut kept: Vec<(StackId, f64)> = Vec::new();
    let (mut all, mut least, mut is_deep) = (0, least, false);
    for stack in stacks.iter().skip(1) {
        let depth = stacks.below(stack).map_or(0, |below| depths[below.index()].saturating_add(1));
        depths[stack.index()] = depth;
        let part = part(stack);
        all += usize::from(part > 0.0);
        let is_wide = part > 0.0 && part >= least;
        is_deep |= is_wide && depth > MOST_LEVELS;
        if is_wide && depth <= MOST_LEVELS {
            kept.push((stack, part));
        }
    }
    if kept.len() > MOST_BOXES {
        let (_, widest_gone, _) = kept.select_nth_unstable_by(MOST_BOXES, |a, b| b.1.total_cmp(&a.1));
        least = widest_gone.1;
        kept.retain(|(_, part)| *part > least);
    }
    let mut is_kept = vec![false; stacks.len()];
    is_kept[root] = true;
    for (stack, _) in &kept {
        is_kept[stack.index()] = true;
    }
    // For each whole, by what lies directly on a drawn box.
    let gone = |totals: &Vec<f64>| -> f64 {
        let is_edge = |stack: &StackId| {
            !is_kept[stack.index()] && stacks.below(*stack).is_some_and(|below| is_kept[below.index()])
        };
        let gone: f64 = stacks.iter().filter(is_edge).map(|stack| totals[stack.index()]).sum();
        gone / totals[root]
    };
    let part = totals.iter().map(gone).filter(|part| part.is_finite()).fold(0.0, f64::max);
    let levels = kept.iter().map(|(stack, _)| depths[stack.index()]).max().unwrap_or(0) + 1;
    let left_out = LeftOut { boxes: all - kept.len(), part, is_deep };
    (kept.into_iter().map(|(stack, _)| stack).collect(), levels, left_out)
}

/// The stacks on each stack, in order of names, so that pictures are comparable.
struct Above<'a> {
    stacks: &'a Stacks,
    sorted: Vec<StackId>,
}

impl<'a> Above<'a> {
    fn new(stacks: &'a Stacks, frames: &Frames, mut kept: Vec<StackId>) -> Self {
        let mut named: Vec<_> = frames.iter().map(|(id, frame)| (frame.name, frame.file, frame.kind, id)).collect();
        named.sort_unstable();
        let mut ranks = vec![0_u32; frames.len()];
        for (rank, (.., id)) in named.iter().enumerate() {
            ranks[id.index()] = rank as u32;
        }
        let rank = |stack: StackId| stacks.frame(stack).map_or(0, |frame| ranks[frame.index()]);
        kept.sort_unstable_by_key(|stack| (stacks.below(*stack), rank(*stack)));
        Self { stacks, sorted: kept }
    }

    fn of(&self, stack: StackId) -> &[StackId] {
        let first = self.sorted.partition_point(|above| self.stacks.below(*above) < Some(stack));
        let end = self.sorted[first..].partition_point(|above| self.stacks.below(*above) == Some(stack));
        &self.sorted[first..first + end]
    }
}
