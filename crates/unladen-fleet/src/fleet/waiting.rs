//! The principal type is [`Waiting`]: a purge that somebody waits for.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::{Member, NodeOutcome, Position, Wait};

/// A purge that somebody waits for.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) record: String,
    pub(super) position: Position,
    /// This node's epoch when it was written.
    pub(super) epoch: Option<String>,
    pub(super) wait: Wait,
    began: Instant,
    pub(super) until: Instant,
    nodes: BTreeMap<String, Seen>,
    reply: oneshot::Sender<Watched>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    confirmed_after: Option<Duration>,
    has_left: bool,
}

/// What was seen.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) is_confirmed: bool,
    pub(super) nodes: Vec<NodeOutcome>,
    pub(super) why: Option<String>,
}

// === impl Waiting ===

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

    /// Notes who has confirmed; how many of those in the list.
    pub(super) fn look(&mut self, members: &[Member]) -> usize {
        let after = self.began.elapsed();
        self.nodes.values_mut().for_each(|seen| seen.has_left = seen.confirmed_after.is_none());
        let mut confirmed = 0;
        for member in members {
            let seen = self.nodes.entry(member.node.clone()).or_default();
            seen.has_left = false;
            if member.position.has_reached(&self.position) {
                seen.confirmed_after.get_or_insert(after);
                confirmed += 1;
            }
        }
        confirmed
    }

    pub(super) fn tell(self, is_confirmed: bool, why: Option<String>) {
        let nodes = self.nodes.into_iter().map(|(node, seen)| NodeOutcome {
            node,
            confirmed_after: seen.confirmed_after,
            has_left: seen.has_left,
        });
        // Who has asked may have gone.
        let _ = self.reply.send(Watched { is_confirmed, nodes: nodes.collect(), why });
    }
}
