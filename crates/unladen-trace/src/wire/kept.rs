//! The principal type is [`Kept`]: what a message holds, as far as a tracer hands it over.

use super::reader::ByteReader;

/// Bytes of a message that are kept; the rest is counted.
pub(super) const MAX_KEPT: usize = 16 << 10;

/// What a message holds.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// What was seen of it, up to [`MAX_KEPT`].
    pub(super) bytes: Vec<u8>,
    /// Its length, as far as it was announced.
    pub(super) length: u64,
    /// Bytes of that which are still to come.
    pub(super) left: u64,
    /// Part of it was not seen; what comes behind is not kept.
    holed: bool,
}

impl Kept {
    /// So much is to come.
    pub(super) fn announce(&mut self, length: u64) {
        self.length += length;
        self.left += length;
    }

    /// Takes what is its own, and keeps it if it is of interest.
    pub(super) fn read(&mut self, reader: &mut ByteReader<'_>, is_of_interest: bool) {
        let take = usize::try_from(self.left).unwrap_or(usize::MAX).min(reader.0.len());
        let bytes = reader.take(take).unwrap_or_default();
        self.left -= bytes.len() as u64;
        if !self.holed && is_of_interest {
            let room = MAX_KEPT - self.bytes.len().min(MAX_KEPT);
            self.bytes.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        }
    }

    /// Over bytes that were not seen; how many were its own.
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
