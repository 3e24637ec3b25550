//! The principal type is [`Kept`]: a message's content as far as a tracer provides it.

use super::reader::ByteReader;

/// Bytes kept of a message; the rest is counted.
pub(super) const MAX_KEPT: usize = 16 << 10;

#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Up to [`MAX_KEPT`] bytes.
    pub(super) bytes: Vec<u8>,
    pub(super) length: u64,
    pub(super) left: u64,
    /// Part of it was unseen; what follows is not kept.
    holed: bool,
}

impl Kept {
    pub(super) fn announce(&mut self, length: u64) {
        self.length += length;
        self.left += length;
    }

    pub(super) fn read(&mut self, reader: &mut ByteReader<'_>, is_of_interest: bool) {
        let take = usize::try_from(self.left).unwrap_or(usize::MAX).min(reader.0.len());
        let bytes = reader.take(take).unwrap_or_default();
        self.left -= bytes.len() as u64;
        if !self.holed && is_of_interest {
            let room = MAX_KEPT - self.bytes.len().min(MAX_KEPT);
            self.bytes.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        }
    }

    /// Skips unseen bytes; returns how many were its own.
    pub(super) fn skip(&mut self, hole: u64) -> u64 {
        let own = hole.min(self.left);
        self.left -= own;
        self.holed |= own > 0;
        own
    }

    pub(super) fn is_truncated(&self) -> bool {
        (self.bytes.len() as u64) < self.length
    }
}
