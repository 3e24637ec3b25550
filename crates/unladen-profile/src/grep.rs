//! The principal function is [`grep`]: the stacks that contain a function.

use crate::frame::FrameId;
use crate::profile::{CallCount, Cluster, Profile};
use crate::stack::StackId;

/// A pattern for a frame's name or file.
#[derive(Debug, Clone)]
pub struct Pattern(regex::Regex);

/// An invalid regular expression.
#[derive(Debug, thiserror::Error)]
#[error("`{text}` is not a regular expression: {source}")]
pub struct PatternError {
    text: String,
    source: regex::Error,
}

impl std::str::FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        regex::Regex::new(text).map(Self).map_err(|source| PatternError { text: text.to_owned(), source })
    }
}

/// The profile of the stacks with a frame whose name or file matches; with `invert`, of those without one. Calls of
/// matching functions (with `invert`, of others) are kept.
///
/// Empty clusters stay: the number of requests is unchanged.
pub fn grep(profile: &Profile, pattern: &Pattern, invert: bool) -> Profile {
    let matches: Vec<bool> = profile
        .frames
        .iter()
        .map(|(_, frame)| pattern.0.is_match(frame.name) || pattern.0.is_match(frame.file))
        .collect();
    let mut is_kept = vec![invert; profile.stacks.len()];
    for stack in profile.stacks.iter() {
        if let (Some(below), Some(frame)) = (profile.stacks.below(stack), profile.stacks.frame(stack)) {
            let found = (is_kept[below.index()] != invert) || matches[frame.index()];
            is_kept[stack.index()] = found != invert;
        }
    }
    let mut kept = Kept::new(profile);
    for cluster in &profile.clusters {
        let weights = cluster
            .weights
            .iter()
            .filter(|(stack, _)| is_kept[stack.index()])
            .map(|(stack, weight)| (kept.stack(*stack), *weight))
            .collect();
        let calls = cluster
            .calls
            .iter()
            .filter(|count| matches[count.callee.index()] != invert)
            .map(|count| CallCount {
                caller: count.caller.map(|caller| kept.frame(caller)),
                callee: kept.frame(count.callee),
                calls: count.calls,
            })
            .collect();
        kept.into.clusters.push(Cluster { weights, calls });
    }
    kept.into
}

struct Kept<'a> {
    from: &'a Profile,
    into: Profile,
    frames: Vec<Option<FrameId>>,
    stacks: Vec<Option<StackId>>,
    way: Vec<StackId>,
}

impl<'a> Kept<'a> {
    fn new(from: &'a Profile) -> Self {
        let mut into = Profile::new(from.about.clone());
        into.notes.clone_from(&from.notes);
        let mut stacks = vec![None; from.stacks.len()];
        stacks[0] = Some(into.stacks.root());
        Self { from, into, frames: vec![None; from.frames.len()], stacks, way: Vec::new() }
    }

    fn frame(&mut self, frame: FrameId) -> FrameId {
        *self.frames[frame.index()].get_or_insert_with(|| self.into.frames.intern(self.from.frames.get(frame)))
    }

    fn stack(&mut self, stack: StackId) -> StackId {
        let mut below = Some(stack);
        let mut at = self.into.stacks.root();
        while let Some(stack) = below {
            if let Some(known) = self.stacks[stack.index()] {
                at = known;
                break;
            }
            self.way.push(stack);
            below = self.from.stacks.below(stack);
        }
        while let Some(stack) = self.way.pop() {
            if let Some(frame) = self.from.stacks.frame(stack) {
                let frame = self.frame(frame);
                at = self.into.stacks.push(at, frame);
            }
            self.stacks[stack.index()] = Some(at);
        }
        at
    }
}

#[cfg(test)]
mod tests;
