//! The principal type is [`Progress`]: how far this node has read, and the lease it may claim for that.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::{BusError, Lease, Member, NodeOutcome, Position, Wait};

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

/// State of the contact with the engine, as far as it needs a lock.
#[derive(Debug, Default)]
pub(super) struct Contact {
    pub(super) last_beat: Option<Instant>,
    /// Time of an unanswered lease request.
    pub(super) asked: Option<Instant>,
    pub(super) cut_offs: u64,
    pub(super) cut_off: Duration,
    pub(super) cut_off_since: Option<Instant>,
    pub(super) has_been_connected: bool,
    pub(super) error: Option<BusError>,
}

impl Contact {
    /// Last error; an engine that has not answered for longer than `patience` has given none yet.
    pub(super) fn why(&self, now: Instant, patience: Duration) -> Option<BusError> {
        let is_silent = self.asked.is_some_and(|at| now.saturating_duration_since(at) > patience);
        self.error.clone().or_else(|| is_silent.then_some(BusError::Timeout))
    }
}

#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) record: String,
    pub(super) position: Position,
    pub(super) epoch: Option<String>,
    pub(super) wait: Wait,
    began: Instant,
    pub(super) until: Instant,
    nodes: BTreeMap<Arc<str>, Seen>,
    reply: oneshot::Sender<Watched>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    confirmed_after: Option<Duration>,
    has_left: bool,
}

#[derive(Debug)]
pub(super) struct Watched {
    pub(super) is_confirmed: bool,
    pub(super) nodes: Vec<NodeOutcome>,
    pub(super) why: Option<String>,
}

impl Waiting {
    pub(super) fn new(
        record: String,
        position: Position,
        epoch: Option<String>,
        wait: Wait,
        (began, until): (Instant, Instant),
        reply: oneshot::Sender<Watched>,
    ) -> Self {
        Self { record, position, epoch, wait, began, until, nodes: BTreeMap::new(), reply }
    }

    pub(super) fn names(&self) -> usize {
        self.nodes.len()
    }

    /// Records which nodes have confirmed, up to `most` nodes: an engine can name others each time. Returns how many of
    /// the list have.
    pub(super) fn look(&mut self, members: &[Member], most: usize) -> usize {
        let after = self.began.elapsed();
        self.nodes.values_mut().for_each(|seen| seen.has_left = seen.confirmed_after.is_none());
        let mut confirmed = 0;
        for member in members {
            let has_confirmed = member.position().has_reached(&self.position);
            confirmed += usize::from(has_confirmed);
            if self.nodes.len() >= most && !self.nodes.contains_key(member.node()) {
                continue;
            }
            let seen = self.nodes.entry(member.name()).or_default();
            seen.has_left = false;
            if has_confirmed {
                seen.confirmed_after.get_or_insert(after);
            }
        }
        confirmed
    }

    pub(super) fn tell(self, is_confirmed: bool, why: Option<String>) {
        let nodes = self.nodes.into_iter().map(|(node, seen)| NodeOutcome {
            node: node.to_string(),
            confirmed_after: seen.confirmed_after,
            has_left: seen.has_left,
        });
        // The caller may have left.
        let _ = self.reply.send(Watched { is_confirmed, nodes: nodes.collect(), why });
    }
}

#[cfg(test)]
mod tests;
