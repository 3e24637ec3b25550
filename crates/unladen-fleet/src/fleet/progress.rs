//! The principal type is [`Progress`]: how far this node has read, and what the lease may become by it.

use std::collections::VecDeque;
use std::time::Instant;

use crate::{Lease, Position};

/// How far this node has read and forgotten.
///
/// A beat gives the end of what was written when this node's lease was written down. Whatever was published before is
/// up to that end; whatever is published later is published while this node is in the list, and waits for it. So the
/// lease is renewed once, and only once, this node has forgotten up to that end.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Another one whenever it goes back.
    generation: u64,
    position: Option<Position>,
    /// Since when the engine's list of nodes is known to be whole.
    whole_since: Option<Instant>,
    /// Ends that beats gave, and until when the lease lasts once they are reached. The later the end, the later the time.
    grants: VecDeque<(Position, Instant)>,
    /// The highest end that was given.
    known_end: Option<Position>,
}

/// Beats whose ends are not reached, at most: the lease is long over where there are more.
const GRANTS: usize = 64;

impl Progress {
    /// Where to read on, and to which reading it belongs.
    pub(crate) fn start(&self) -> (u64, Option<Position>) {
        (self.generation, self.position.clone())
    }

    pub(crate) fn position(&self) -> Option<&Position> {
        self.position.as_ref()
    }

    pub(crate) fn whole_since(&self) -> Option<Instant> {
        self.whole_since
    }

    /// Records that are known to be written, and not forgotten.
    pub(crate) fn lag(&self) -> u64 {
        match (&self.known_end, &self.position) {
            (Some(end), Some(position)) if end.epoch() == position.epoch() => {
                end.index().saturating_sub(position.index())
            }
            (Some(end), _) => end.index(),
            (None, _) => 0,
        }
    }

    /// The engine has what comes after this place. Where reading began at a place from before, it is not known for how
    /// long the list of nodes has been whole.
    pub(crate) fn is_there(&mut self, now: Instant) {
        self.whole_since.get_or_insert(now);
    }

    /// All up to there is forgotten. False: it went back meanwhile, and reads again.
    pub(crate) fn advance(&mut self, generation: u64, to: Position, lease: &Lease) -> bool {
        if generation != self.generation {
            return false;
        }
        while let Some((_, until)) = self.grants.pop_front_if(|(end, _)| to.has_reached(end)) {
            lease.renew(until);
        }
        self.position = Some(to);
        true
    }

    /// All that was stored is asked about, and reading goes on at this end.
    pub(crate) fn begin(&mut self, generation: u64, end: Position, whole_since: Instant, lease: &Lease) -> bool {
        if generation != self.generation {
            return false;
        }
        // Of another epoch: these ends are never reached.
        self.grants.retain(|(given, _)| given.epoch() == end.epoch());
        self.whole_since = Some(whole_since);
        self.advance(generation, end, lease)
    }

    /// A beat gave this end. Whoever has reached it may count on it until then.
    pub(crate) fn beaten(&mut self, end: Position, until: Instant, lease: &Lease) {
        self.known_end = Some(end.clone());
        if self.position.as_ref().is_some_and(|position| position.has_reached(&end)) {
            lease.renew(until);
            return;
        }
        if self.grants.len() >= GRANTS {
            self.grants.pop_front();
        }
        self.grants.push_back((end, until));
    }

    /// What was forgotten after this place is to be forgotten again, and until then nothing is counted on. None: it is
    /// not known what.
    pub(crate) fn rewind(&mut self, to: Option<Position>, lease: &Lease) {
        self.generation += 1;
        lease.end();
        self.grants.clear();
        self.position = match (self.position.take(), to) {
            // It had not begun.
            (None, to) if self.whole_since.is_none() && self.generation == 1 => to,
            (Some(now), Some(to)) if now.epoch() == to.epoch() => Some(if now.has_reached(&to) { to } else { now }),
            _ => None,
        };
    }
}

#[cfg(test)]
mod tests;
