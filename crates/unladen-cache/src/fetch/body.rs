//! The principal type is [`Body`]: the part of a body that has arrived.

use bytes::Bytes;

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
