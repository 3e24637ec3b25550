//! The principal type is [`FetchReader`]: a waiter's end of an answer on its way.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use super::in_flight::InFlightFetch;
use super::state::{End, LEADER};

/// A waiter's end: reads the whole body, from the start.
#[derive(Debug)]
pub struct FetchReader<H: Clone> {
    fetch: Arc<InFlightFetch<H>>,
    place: usize,
    read: usize,
}

// === impl FetchReader ===

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
