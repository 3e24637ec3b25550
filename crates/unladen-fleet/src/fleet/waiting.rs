//! The principal type is [`Waiting`]: a purge that somebody waits for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::{Member, NodeOutcome, Position, Wait};

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
