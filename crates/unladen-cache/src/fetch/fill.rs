//! The principal type is [`FetchWriter`]: the fetcher's end of an answer on its way.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use super::in_flight::InFlightFetch;
use super::state::{End, Told};

/// The fetcher's end. If it is dropped before [`Self::end`], the answer counts as broken off.
#[derive(Debug)]
pub struct FetchWriter<H: Clone> {
    fetch: Arc<InFlightFetch<H>>,
    is_ended: bool,
}

impl<H: Clone> FetchWriter<H> {
    pub(super) fn new(fetch: Arc<InFlightFetch<H>>) -> Self {
        fetch.shared.fills.fetch_add(1, Ordering::Relaxed);
        Self { fetch, is_ended: false }
    }

    /// Sends the head; only the first one counts. Without `window` the body is kept for all readers. With it, the body
    /// is for the first reader alone, at most this many bytes wait for it, the others get the other head, and nobody
    /// joins any more.
    pub fn tell(&self, head: H, window: Option<(usize, H)>) {
        let is_alone = window.is_some();
        let waiting = {
            let mut state = self.fetch.state();
            if state.told.is_some() {
                return;
            }
            let window = window.map(|(bytes, others)| (bytes.max(1), others));
            state.told = Some(Told { head, window });
            state.take_waiting()
        };
        waiting.into_iter().for_each(Waker::wake);
        if is_alone {
            self.fetch.close();
        }
    }

    /// Takes some of the body and returns the number of bytes. Pending while the window is full.
    ///
    /// # Errors
    /// If nobody reads any more, and nothing is kept.
    #[allow(clippy::result_unit_err, reason = "there is one")]
    pub fn poll_push(&mut self, cx: &mut Context<'_>, data: &[u8]) -> Poll<Result<usize, ()>> {
        let mut state = self.fetch.state();
        let count = match state.window() {
            None => match state.bound() {
                None => data.len(),
                Some(_) if !state.is_read() => return Poll::Ready(Err(())),
                Some(bound) => {
                    let behind = state.body.length() - state.last().min(state.body.length());
                    bound.saturating_sub(behind).min(data.len())
                }
            },
            Some(_) if !state.is_read() => return Poll::Ready(Err(())),
            Some(window) => window.saturating_sub(state.body.held()).min(data.len()),
        };
        if count == 0 && !data.is_empty() {
            let before = state.fetcher_waits(cx);
            drop(state);
            drop(before);
            return Poll::Pending;
        }
        state.body.push(data.get(..count).unwrap_or_default());
        self.fetch.count(0, count);
        // Before the head nobody reads.
        let waiting = if count > 0 && state.told.is_some() { state.take_waiting() } else { Vec::new() };
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        Poll::Ready(Ok(count))
    }

    /// For a body that has become too long to be kept: nobody joins any more, and data that all readers have read is
    /// dropped. Readers may be `behind` bytes behind.
    pub fn stop_keeping(&self, behind: usize) {
        let forgotten = {
            let mut state = self.fetch.state();
            state.set_bound(behind);
            let last = state.last();
            state.body.forget_before(last)
        };
        self.fetch.count(forgotten, 0);
        self.fetch.close();
    }

    /// Ready once further data would reach nobody: there is a window, and its reader has gone.
    pub fn poll_abandoned(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.fetch.state();
        if (state.window().is_some() || state.bound().is_some()) && !state.is_read() {
            return Poll::Ready(());
        }
        let before = state.fetcher_waits(cx);
        drop(state);
        drop(before);
        Poll::Pending
    }

    /// Ready once nobody waits for an answer that has not begun, and nobody can any more: later requests ask anew.
    pub fn poll_unwanted(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_read_or_waits(cx) {
            return Poll::Pending;
        }
        self.fetch.close();
        // Somebody may have joined before it was off the map.
        if self.is_read_or_waits(cx) { Poll::Pending } else { Poll::Ready(()) }
    }

    fn is_read_or_waits(&self, cx: &Context<'_>) -> bool {
        let mut state = self.fetch.state();
        if !state.is_read() {
            return false;
        }
        let before = state.fetcher_waits(cx);
        drop(state);
        drop(before);
        true
    }

    /// Ends the body. Returns it in one piece, if it was kept.
    pub fn end(self) -> Option<Bytes> {
        let mut body = None;
        self.end_with(|whole| body = Some(whole));
        body
    }

    /// Ends the body. A kept body is given to `store` before anyone learns of the end or could ask anew: so later
    /// requests find it here or stored.
    pub fn end_with(mut self, store: impl FnOnce(Bytes)) {
        let mut state = self.fetch.state();
        if state.window().is_none() && state.bound().is_none() {
            let held = state.body.held();
            let body = state.body.end();
            self.fetch.count(held, 0);
            drop(state);
            store(body);
            state = self.fetch.state();
        }
        state.end = End::Whole;
        let waiting = state.take_waiting();
        drop(state);
        self.is_ended = true;
        waiting.into_iter().for_each(Waker::wake);
        // Dropping it takes it off the map.
    }

    /// Whether anyone reads.
    pub fn has_readers(&self) -> bool {
        self.fetch.state().is_read()
    }
}

impl<H: Clone> Drop for FetchWriter<H> {
    fn drop(&mut self) {
        // First, so that whoever is woken and asks again does not find this one.
        self.fetch.close();
        let (own, waiting) = {
            let mut state = self.fetch.state();
            if !self.is_ended {
                state.end = End::Broken;
            }
            (state.take_fetcher(), state.take_waiting())
        };
        drop(own);
        self.fetch.shared.fills.fetch_sub(1, Ordering::Relaxed);
        waiting.into_iter().for_each(Waker::wake);
    }
}
