//! The principal type is [`Queue`]: purges on their way to the bus.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use crate::Position;

/// Maximum of waiting purges: further ones are replaced by one soft purge of everything.
pub(super) const QUEUE: usize = 10_000;
/// Maximum of their bytes: clients choose the length of URLs.
pub(super) const BYTES: usize = 16 * 1024 * 1024;
const OWN: usize = 128;

/// Purges on their way to the bus. They stay until it has them, or until a successor takes them.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    bell: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Sending>,
    bytes: usize,
    /// Number sent: the number of the first that waits.
    gone: u64,
    refused: u64,
    told: u64,
    is_closed: bool,
}

#[derive(Debug)]
pub(super) enum NotTaken {
    /// The queue is full: the soft purge of everything covers it.
    Full,
    Closed(Sending),
}

impl Queue {
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

    pub(super) fn overflow(&self) {
        self.lock().refused += 1;
        self.bell.notify_one();
    }

    /// The next ones, and the number sent including them. They stay in the queue.
    pub(super) fn next(&self, most: usize) -> (Vec<String>, u64) {
        let state = self.lock();
        let records: Vec<_> = state.waiting.iter().take(most).map(|sending| sending.record.clone()).collect();
        let gone = state.gone + records.len() as u64;
        (records, gone)
    }

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

    /// If all nodes must revalidate everything: the value to pass to [`Self::told`] afterwards.
    pub(super) fn overflowed(&self) -> Option<u64> {
        let state = self.lock();
        (state.refused > state.told).then_some(state.refused)
    }

    pub(super) fn told(&self, refused: u64) {
        let mut state = self.lock();
        state.told = state.told.max(refused);
    }

    /// Purges that the bus does not have; all rejected ones count as one.
    pub(super) fn len(&self) -> u64 {
        let state = self.lock();
        state.waiting.len() as u64 + u64::from(state.refused > state.told)
    }

    pub(super) fn give_up(&self) -> u64 {
        let mut given_up = 0;
        let has_overflowed = self.lock().empty(|_| given_up += 1);
        given_up + u64::from(has_overflowed)
    }

    /// Closes the queue: unsent purges go to a successor, before any later ones. Returns whether there was an overflow.
    pub(super) fn close(&self, give: impl FnMut(Sending)) -> bool {
        let mut state = self.lock();
        state.is_closed = true;
        state.empty(give)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

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

#[derive(Debug)]
pub(super) struct Sending {
    pub(super) record: String,
    pub(super) reply: Option<oneshot::Sender<Position>>,
}
