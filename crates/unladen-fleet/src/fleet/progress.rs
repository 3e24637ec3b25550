//! The principal type is [`Progress`]: how far this node has read, and the lease it may claim for that.

use std::collections::VecDeque;
use std::time::Instant;

use crate::{Lease, Position};

/// How far this node has read and forgotten.
///
/// A beat returns the end of the records at the time the engine stored this node's lease. Earlier purges are up to that
/// end; later ones are published while this node is in the list, and wait for it. So the lease is renewed once this
/// node has forgotten up to that end, and not before.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    generation: u64,
    position: Option<Position>,
    /// Since then, the engine's list of nodes is known to be whole.
    whole_since: Option<Instant>,
    /// Ends from beats, and the lease expiry once they are reached. Both rise together.
    grants: VecDeque<(Position, Instant)>,
    known_end: Option<Position>,
}

/// Maximum of beats whose ends are not reached: with more, the lease is long over.
const GRANTS: usize = 64;

impl Progress {
    pub(crate) fn start(&self) -> (u64, Option<Position>) {
        (self.generation, self.position.clone())
    }

    pub(crate) fn position(&self) -> Option<&Position> {
        self.position.as_ref()
    }

    pub(crate) fn whole_since(&self) -> Option<Instant> {
        self.whole_since
    }

    pub(crate) fn lag(&self) -> u64 {
        match (&self.known_end, &self.position) {
            (Some(end), Some(position)) if end.epoch() == position.epoch() => {
                end.index().saturating_sub(position.index())
            }
            (Some(end), _) => end.index(),
            (None, _) => 0,
        }
    }

    /// The engine has the records after this position. If reading began at an earlier position, it is unknown for how
    /// long the list of nodes has been whole.
    pub(crate) fn is_there(&mut self, now: Instant) {
        self.whole_since.get_or_insert(now);
    }

    /// All up to `to` is forgotten. False after a rewind meanwhile, which reads again.
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

    /// Everything stored was doubted, and reading continues at this end.
    pub(crate) fn begin(&mut self, generation: u64, end: Position, whole_since: Instant, lease: &Lease) -> bool {
        if generation != self.generation {
            return false;
        }
        // Ends of another epoch are never reached.
        self.grants.retain(|(given, _)| given.epoch() == end.epoch());
        self.whole_since = Some(whole_since);
        self.advance(generation, end, lease)
    }

    /// A beat returned this end; once it is reached, the lease lasts until then.
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

    /// Forgets again from this position, and relies on nothing until then. `None` if it is unknown.
    pub(crate) fn rewind(&mut self, to: Option<Position>, lease: &Lease) {
        self.generation += 1;
        lease.end();
        self.grants.clear();
        self.position = match (self.position.take(), to) {
            // Reading had not begun.
            (None, to) if self.whole_since.is_none() && self.generation == 1 => to,
            (Some(now), Some(to)) if now.epoch() == to.epoch() => Some(if now.has_reached(&to) { to } else { now }),
            _ => None,
        };
    }
}

#[cfg(test)]
mod tests;
