//! The principal types are [`State`]: the progress of a fetch; and [`Body`]: the part of a body that has arrived.

use std::task::{Context, Waker};

use bytes::Bytes;

/// The progress of a fetch, and who waits for what. Wakers are returned, to be woken or dropped without the lock: both
/// may run code that takes it.
#[derive(Debug)]
pub(super) struct State<H> {
    pub(super) told: Option<Told<H>>,
    pub(super) body: Body,
    pub(super) end: End,
    /// The leader's is the first; other free places are reused.
    readers: Vec<ReaderState>,
    free: Vec<usize>,
    present: usize,
    /// Set when the body is dropped as soon as all have read it; readers may be this many bytes behind.
    bound: Option<usize>,
    /// Waits for room or for the last reader to leave.
    fetcher: Option<Waker>,
}

#[derive(Clone, Debug)]
pub(super) struct Told<H> {
    pub(super) head: H,
    /// For a body for the leader alone: the bytes that may wait, and the head of the others.
    pub(super) window: Option<(usize, H)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Open,
    Whole,
    Broken,
}

#[derive(Debug)]
enum ReaderState {
    Gone,
    /// With the number of bytes read.
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

    /// Returns the reader's own waker, to be dropped, and the fetcher's, to be woken, if it waits for this.
    pub(super) fn leave(&mut self, place: usize) -> (Option<Waker>, Option<Waker>) {
        let mut own = None;
        if let Some(reader) = self.readers.get_mut(place) {
            own = reader.take();
            *reader = ReaderState::Gone;
            self.present -= 1;
            // The leader's place is not reused.
            if place != LEADER {
                self.free.push(place);
            }
        }
        // The fetcher may have waited for the last reader to leave.
        let is_waited_for = self.is_read() && self.bound.is_none();
        (own, if is_waited_for { None } else { self.fetcher.take() })
    }

    pub(super) fn is_read(&self) -> bool {
        match self.window() {
            Some(_) => matches!(self.readers.first(), Some(ReaderState::Present(..))),
            None => self.present > 0,
        }
    }

    /// Bytes that may wait for the leader; `None` if all is kept.
    pub(super) fn window(&self) -> Option<usize> {
        Some(self.told.as_ref()?.window.as_ref()?.0)
    }

    /// Registers a reader's waker; returns the one it replaces.
    #[must_use]
    pub(super) fn wait(&mut self, place: usize, cx: &Context<'_>) -> Option<Waker> {
        match self.readers.get_mut(place) {
            Some(ReaderState::Present(waker, _)) => set(waker, cx),
            _ => None,
        }
    }

    /// From now on, drops what all have read.
    pub(super) fn set_bound(&mut self, bytes: usize) {
        self.bound = Some(bytes.max(1));
    }

    pub(super) fn bound(&self) -> Option<usize> {
        self.bound
    }

    /// Records a reader's position: returns the bytes dropped, and the fetcher's waker if there may be room.
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

    pub(super) fn last(&self) -> usize {
        let read = self.readers.iter().filter_map(|place| match place {
            ReaderState::Present(_, read) => Some(*read),
            ReaderState::Gone => None,
        });
        read.min().unwrap_or(self.body.length())
    }

    /// Registers the fetcher's waker, for room or the last reader's leaving; returns the one it replaces.
    #[must_use]
    pub(super) fn fetcher_waits(&mut self, cx: &Context<'_>) -> Option<Waker> {
        set(&mut self.fetcher, cx)
    }

    pub(super) fn take_fetcher(&mut self) -> Option<Waker> {
        self.fetcher.take()
    }

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

/// The part of a body that has arrived, in pieces of equal length except the last: so a reader's position is one
/// number, and a body that arrives byte by byte takes no more than one that arrives at once.
#[derive(Debug, Default)]
pub(super) struct Body {
    pieces: Vec<Bytes>,
    last: Vec<u8>,
    /// The complete body, instead of the pieces.
    whole: Option<Bytes>,
    held: usize,
    /// Bytes before those, in whole pieces that all have read.
    gone: usize,
}

pub(super) const PIECE: usize = 64 * 1024;

impl Body {
    pub(super) fn push(&mut self, data: &[u8]) {
        self.held += data.len();
        let mut data = data;
        while !data.is_empty() {
            let (now, later) = data.split_at(data.len().min(PIECE - self.last.len()));
            self.last.extend_from_slice(now);
            data = later;
            if self.last.len() == PIECE {
                self.pieces.push(std::mem::take(&mut self.last).into());
            }
        }
    }

    /// Available data at a position.
    pub(super) fn at(&self, place: usize) -> Option<Bytes> {
        if let Some(whole) = &self.whole {
            return (place < whole.len()).then(|| whole.slice(place..));
        }
        let place = place.checked_sub(self.gone)?;
        match self.pieces.get(place / PIECE) {
            Some(piece) => Some(piece.slice(place % PIECE..)),
            // The growing piece is copied: it is short, or about to be complete.
            None => self.last.get(place % PIECE..).filter(|rest| !rest.is_empty()).map(Bytes::copy_from_slice),
        }
    }

    /// Drops whole pieces before a position; returns the number of bytes.
    pub(super) fn forget_before(&mut self, place: usize) -> usize {
        let count = (place.saturating_sub(self.gone) / PIECE).min(self.pieces.len());
        self.pieces.drain(..count);
        self.gone += count * PIECE;
        self.held -= count * PIECE;
        count * PIECE
    }

    /// Bytes that have arrived.
    pub(super) fn length(&self) -> usize {
        self.gone + self.held
    }

    pub(super) fn take(&mut self) -> Vec<u8> {
        self.held = 0;
        if self.pieces.is_empty() {
            return std::mem::take(&mut self.last);
        }
        let mut all = Vec::with_capacity(self.pieces.len() * PIECE + self.last.len());
        for piece in self.pieces.drain(..) {
            all.extend_from_slice(&piece);
        }
        all.append(&mut std::mem::take(&mut self.last));
        all
    }

    /// The complete body in one block of its exact length, which readers share from now on. It no longer counts as kept
    /// here.
    pub(super) fn end(&mut self) -> Bytes {
        let whole = match self.pieces.as_mut_slice() {
            [piece] if self.last.is_empty() => std::mem::take(piece),
            _ => {
                let mut whole = self.take();
                whole.shrink_to_fit();
                whole.into()
            }
        };
        *self = Self { whole: Some(whole.clone()), ..Self::default() };
        whole
    }

    pub(super) fn held(&self) -> usize {
        self.held
    }
}
