//! The principal types are [`InFlightFetch`]: an answer on its way, shared by all who wait for it (collapsed
//! forwarding); and [`FetchReader`]: a waiter's end of it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use super::state::{End, LEADER, State};

/// An answer on its way.
#[derive(Debug)]
pub struct InFlightFetch<H> {
    pub(super) shared: Arc<Shared<H>>,
    key: Arc<[u8]>,
    state: Mutex<State<H>>,
}

type ByKey<H> = HashMap<Arc<[u8]>, Arc<InFlightFetch<H>>>;

#[derive(Debug)]
pub(super) struct Shared<H> {
    pub(super) by_key: Mutex<ByKey<H>>,
    pub(super) fills: AtomicUsize,
    pub(super) bytes: AtomicU64,
}

impl<H> Shared<H> {
    pub(super) fn by_key(&self) -> MutexGuard<'_, ByKey<H>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl InFlightFetch ===

impl<H> InFlightFetch<H> {
    pub(super) fn new(shared: &Arc<Shared<H>>, key: &Arc<[u8]>) -> Self {
        Self { shared: Arc::clone(shared), key: Arc::clone(key), state: Mutex::new(State::default()) }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State<H>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes it from the map, unless another of the same key has taken its place.
    pub(super) fn close(self: &Arc<Self>) {
        // The map's lock is never taken while a state's is held: joining takes them in the other order.
        if let Entry::Occupied(entry) = self.shared.by_key().entry(Arc::clone(&self.key))
            && Arc::ptr_eq(entry.get(), self)
        {
            entry.remove();
        }
    }

    pub(super) fn count(&self, before: usize, after: usize) {
        let bytes = &self.shared.bytes;
        if after >= before {
            bytes.fetch_add((after - before) as u64, Ordering::Relaxed);
        } else {
            bytes.fetch_sub((before - after) as u64, Ordering::Relaxed);
        }
    }
}

impl<H> Drop for InFlightFetch<H> {
    fn drop(&mut self) {
        let held = self.state.get_mut().unwrap_or_else(PoisonError::into_inner).body.held();
        self.count(held, 0);
    }
}

/// A waiter's end: reads the whole body, from the start.
#[derive(Debug)]
pub struct FetchReader<H: Clone> {
    fetch: Arc<InFlightFetch<H>>,
    place: usize,
    read: usize,
}

impl<H: Clone> FetchReader<H> {
    pub(super) fn new(fetch: Arc<InFlightFetch<H>>) -> Self {
        let place = fetch.state().enter();
        Self { fetch, place, read: 0 }
    }

    /// Whether this reader is the first one.
    pub fn is_leader(&self) -> bool {
        self.place == LEADER
    }

    /// The head; `None` if the fetcher has gone without one.
    pub fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<Option<H>> {
        let mut state = self.fetch.state();
        if let Some(told) = &state.told {
            return Poll::Ready(Some(match &told.window {
                Some((_, others)) if !self.is_leader() => others.clone(),
                _ => told.head.clone(),
            }));
        }
        if state.end != End::Open {
            return Poll::Ready(None);
        }
        let before = state.wait(self.place, cx);
        drop(state);
        drop(before);
        Poll::Pending
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// If the answer was broken off, after what was read; or if it is for the leader alone.
    #[allow(clippy::result_unit_err, reason = "there is one")]
    pub fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>, ()>> {
        let mut state = self.fetch.state();
        let piece = match (state.told.is_some(), state.window()) {
            (false, _) => None,
            (true, None) => state.body.at(self.read),
            (true, Some(_)) if !self.is_leader() => return Poll::Ready(Err(())),
            (true, Some(_)) => {
                let held = state.body.held();
                self.fetch.count(held, 0);
                (held > 0).then(|| Bytes::from(state.body.take()))
            }
        };
        if let Some(piece) = piece {
            self.read += piece.len();
            let (forgotten, fetcher) = state.has_read(self.place, self.read);
            self.fetch.count(forgotten, 0);
            let fetcher = fetcher.or_else(|| state.window().and_then(|_| state.take_fetcher()));
            drop(state);
            fetcher.into_iter().for_each(Waker::wake);
            return Poll::Ready(Ok(Some(piece)));
        }
        match state.end {
            End::Whole => Poll::Ready(Ok(None)),
            End::Broken => Poll::Ready(Err(())),
            End::Open => {
                let before = state.wait(self.place, cx);
                drop(state);
                drop(before);
                Poll::Pending
            }
        }
    }
}

impl<H: Clone> Drop for FetchReader<H> {
    fn drop(&mut self) {
        let (own, fetcher) = self.fetch.state().leave(self.place);
        drop(own);
        fetcher.into_iter().for_each(Waker::wake);
    }
}
