//! The principal type is [`Queue`]: purges on their way to the bus.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use super::sending::Sending;
use crate::Position;

/// Purges that wait for the engine, at most: those that come then are told to all as one, a soft purge of everything.
pub(super) const QUEUE: usize = 10_000;
/// Their bytes, at most: clients choose how long the URLs are.
pub(super) const BYTES: usize = 16 * 1024 * 1024;
/// What each takes besides its record.
const OWN: usize = 128;

/// Purges on their way to the bus. They stay until it has them, or until somebody else takes them over.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    bell: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Sending>,
    bytes: usize,
    /// How many have gone: the number of the first that waits.
    gone: u64,
    /// How often more was to be sent than may wait …
    refused: u64,
    /// … and how often of them all nodes know.
    told: u64,
    is_closed: bool,
}

/// Why something is not taken.
#[derive(Debug)]
pub(super) enum NotTaken {
    /// More waits than may: it is told with what else is too much.
    Full,
    /// Nobody sends any more.
    Closed(Sending),
}

impl Queue {
    /// Takes it, if it is within this part of what may wait.
    pub(super) fn push(&self, sending: Sending, part: usize) -> Result<(), NotTaken> {
        let mut state = self.lock();
        if state.is_closed {
            return Err(NotTaken::Closed(sending));
        }
        let bytes = state.bytes + OWN + sending.record.len();
        let is_full = state.waiting.len() >= QUEUE / part || bytes > BYTES / part;
        if is_full {
            state.refused += 1;
        } else {
            state.bytes = bytes;
            state.waiting.push_back(sending);
        }
        drop(state);
        self.bell.notify_one();
        if is_full { Err(NotTaken::Full) } else { Ok(()) }
    }

    /// More was to be sent than may wait, somewhere else.
    pub(super) fn overflow(&self) {
        self.lock().refused += 1;
        self.bell.notify_one();
    }

    /// Those that are next, and how many will have gone with them. They stay.
    pub(super) fn next(&self, most: usize) -> (Vec<String>, u64) {
        let state = self.lock();
        let records: Vec<_> = state.waiting.iter().take(most).map(|sending| sending.record.clone()).collect();
        let gone = state.gone + records.len() as u64;
        (records, gone)
    }

    /// The bus has all up to this one: who waits for their places.
    pub(super) fn take_until(&self, gone: u64) -> Vec<Option<oneshot::Sender<Position>>> {
        let mut state = self.lock();
        let mut replies = Vec::new();
        while state.gone < gone
            && let Some(sending) = state.waiting.pop_front()
        {
            state.gone += 1;
            state.bytes = state.bytes.saturating_sub(OWN + sending.record.len());
            replies.push(sending.reply);
        }
        replies
    }

    /// If all nodes are to be told about everything: what to say once they are.
    pub(super) fn overflowed(&self) -> Option<u64> {
        let state = self.lock();
        (state.refused > state.told).then_some(state.refused)
    }

    /// All nodes are told of as much.
    pub(super) fn told(&self, refused: u64) {
        let mut state = self.lock();
        state.told = state.told.max(refused);
    }

    /// Purges that the bus does not have; those that were too many are one.
    pub(super) fn len(&self) -> u64 {
        let state = self.lock();
        state.waiting.len() as u64 + u64::from(state.refused > state.told)
    }

    /// Nobody else sends what nobody has sent yet: how many there were.
    pub(super) fn give_up(&self) -> u64 {
        let mut given_up = 0;
        let has_overflowed = self.lock().empty(|_| given_up += 1);
        given_up + u64::from(has_overflowed)
    }

    /// Nobody sends any more: what nobody has sent is given to another, before whatever comes later. Whether more was to
    /// be sent than may wait.
    pub(super) fn close(&self, give: impl FnMut(Sending)) -> bool {
        let mut state = self.lock();
        state.is_closed = true;
        state.empty(give)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Waits until something is to be sent.
    pub(super) async fn rings(&self) {
        self.bell.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn empty(&mut self, give: impl FnMut(Sending)) -> bool {
        self.gone += self.waiting.len() as u64;
        self.bytes = 0;
        self.waiting.drain(..).for_each(give);
        std::mem::replace(&mut self.told, self.refused) < self.refused
    }
}
