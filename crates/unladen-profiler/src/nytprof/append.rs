//! The principal function is [`append`]: adds requests of one profile to another.

use std::ops::Range;

use unladen_profile::{CallCount, FrameId, Profile, StackId};

/// Adds clusters of a profile to another; an empty one also takes over its units.
pub(super) fn append(into: &mut Profile, from: &Profile, clusters: Range<usize>) {
    if into.clusters.is_empty() {
        into.about.unit = from.about.unit;
        into.about.profiler.clone_from(&from.about.profiler);
        into.about.are_requests = true;
    }
    let frames: Vec<FrameId> = from.frames.iter().map(|(_, frame)| into.frames.intern(frame)).collect();
    let mut stacks: Vec<StackId> = Vec::with_capacity(from.stacks.len());
    for stack in from.stacks.iter() {
        let same = match (from.stacks.below(stack), from.stacks.frame(stack)) {
            (Some(below), Some(frame)) => into.stacks.push(stacks[below.index()], frames[frame.index()]),
            _ => into.stacks.root(),
        };
        stacks.push(same);
    }
    for cluster in from.clusters.get(clusters).unwrap_or_default() {
        let id = into.begin_request();
        for (stack, weight) in &cluster.weights {
            into.add(id, stacks[stack.index()], *weight);
        }
        for count in &cluster.calls {
            let caller = count.caller.map(|caller| frames[caller.index()]);
            into.add_calls(id, CallCount { caller, callee: frames[count.callee.index()], calls: count.calls });
        }
    }
}
