//! The principal type is [`State`]: how far an answer has come.

use std::task::{Context, Waker};

use super::body::Body;

/// How far an answer has come, and who waits for what. Wakers are handed out, to be woken or dropped without the lock:
/// both may run what takes it.
#[derive(Debug)]
pub(super) struct State<H> {
    pub(super) told: Option<Told<H>>,
    pub(super) body: Body,
    pub(super) end: End,
    /// The leader's is the first; the places of others who have gone are taken again.
    readers: Vec<ReaderState>,
    free: Vec<usize>,
    present: usize,
    /// The body is not kept any longer than it takes all readers to read it; and they may be so many bytes behind.
    bound: Option<usize>,
    /// The fetcher's, that waits for room or for nobody to read.
    fetcher: Option<Waker>,
}

/// What is said once.
#[derive(Clone, Debug)]
pub(super) struct Told<H> {
    pub(super) head: H,
    /// The body is for the leader alone, with so many bytes waiting; and what the others hear.
    pub(super) window: Option<(usize, H)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// More may come.
    Open,
    Whole,
    /// The fetcher went before the end.
    Broken,
}

#[derive(Debug)]
enum ReaderState {
    Gone,
    /// With what it has read.
    Present(Option<Waker>, usize),
}

/// The leader's place.
pub(super) const LEADER: usize = 0;

// === impl State ===

impl<H> Default for State<H> {
    fn default() -> Self {
        Self {
            told: None,
            body: Body::default(),
            end: End::Open,
            readers: Vec::new(),
            free: Vec::new(),
            present: 0,
            bound: None,
            fetcher: None,
        }
    }
}

impl<H> State<H> {
    pub(super) fn enter(&mut self) -> usize {
        self.present += 1;
        if let Some(place) = self.free.pop()
            && let Some(reader) = self.readers.get_mut(place)
        {
            *reader = ReaderState::Present(None, 0);
            return place;
        }
        self.readers.push(ReaderState::Present(None, 0));
        self.readers.len() - 1
    }

    /// The reader's own waker, to be dropped, and the fetcher's, to be woken, if that is what it waits for.
    pub(super) fn leave(&mut self, place: usize) -> (Option<Waker>, Option<Waker>) {
        let mut own = None;
        if let Some(reader) = self.readers.get_mut(place) {
            own = reader.take();
            *reader = ReaderState::Gone;
            self.present -= 1;
            // The leader's place stays its own.
            if place != LEADER {
                self.free.push(place);
            }
        }
        // Whoever was the last may have been waited for.
        let is_waited_for = self.is_read() && self.bound.is_none();
        (own, if is_waited_for { None } else { self.fetcher.take() })
    }

    /// Whether anyone reads what the fetcher pushes.
    pub(super) fn is_read(&self) -> bool {
        match self.window() {
            Some(_) => matches!(self.readers.first(), Some(ReaderState::Present(..))),
            None => self.present > 0,
        }
    }

    /// Bytes that may wait for the leader; none: all is kept.
    pub(super) fn window(&self) -> Option<usize> {
        Some(self.told.as_ref()?.window.as_ref()?.0)
    }

    /// Has a reader woken when there is more. The waker that it had before.
    #[must_use]
    pub(super) fn wait(&mut self, place: usize, cx: &Context<'_>) -> Option<Waker> {
        match self.readers.get_mut(place) {
            Some(ReaderState::Present(waker, _)) => set(waker, cx),
            _ => None,
        }
    }

    /// The body is kept no longer than it takes.
    pub(super) fn set_bound(&mut self, bytes: usize) {
        self.bound = Some(bytes.max(1));
    }

    pub(super) fn bound(&self) -> Option<usize> {
        self.bound
    }

    /// A reader has read so far: bytes that are not kept any longer, and the fetcher's waker if there may be room.
    pub(super) fn has_read(&mut self, place: usize, so_far: usize) -> (usize, Option<Waker>) {
        if let Some(ReaderState::Present(_, read)) = self.readers.get_mut(place) {
            *read = so_far;
        }
        if self.bound.is_none() {
            return (0, None);
        }
        let last = self.last();
        (self.body.forget_before(last), self.fetcher.take())
    }

    /// How far the slowest reader is.
    pub(super) fn last(&self) -> usize {
        let read = self.readers.iter().filter_map(|place| match place {
            ReaderState::Present(_, read) => Some(*read),
            ReaderState::Gone => None,
        });
        read.min().unwrap_or(self.body.length())
    }

    /// Has the fetcher woken when there is room, or nobody reads. The waker that it had before.
    #[must_use]
    pub(super) fn fetcher_waits(&mut self, cx: &Context<'_>) -> Option<Waker> {
        set(&mut self.fetcher, cx)
    }

    pub(super) fn take_fetcher(&mut self) -> Option<Waker> {
        self.fetcher.take()
    }

    /// The wakers of all readers that wait.
    pub(super) fn take_waiting(&mut self) -> Vec<Waker> {
        self.readers.iter_mut().filter_map(ReaderState::take).collect()
    }

    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.readers.iter().filter(|reader| matches!(reader, ReaderState::Present(Some(_), _))).count()
    }
}

fn set(waker: &mut Option<Waker>, cx: &Context<'_>) -> Option<Waker> {
    match waker {
        Some(waker) if waker.will_wake(cx.waker()) => None,
        waker => waker.replace(cx.waker().clone()),
    }
}

impl ReaderState {
    fn take(&mut self) -> Option<Waker> {
        match self {
            Self::Gone => None,
            Self::Present(waker, _) => waker.take(),
        }
    }
}
