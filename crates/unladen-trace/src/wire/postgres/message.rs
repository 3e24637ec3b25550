//! The principal type is [`Message`]: a message of the client, as sends bring it.

use crate::wire::reader::ByteReader;

/// Bytes of a message that are kept; the rest is counted.
pub(super) const MAX_KEPT: usize = 16 << 10;

/// A message whose head was seen.
#[derive(Debug)]
pub(super) struct Message {
    /// 0 for the first of a connection, which has none.
    pub(super) tag: u8,
    /// What was seen of its body, up to [`MAX_KEPT`].
    pub(super) body: Vec<u8>,
    /// The body's length.
    pub(super) length: u64,
    /// Bytes of the body that are still to come.
    pub(super) left: u64,
    /// Part of the body was not seen; what comes behind is not kept.
    pub(super) holed: bool,
}

impl Message {
    pub(super) fn read(&mut self, reader: &mut ByteReader<'_>) {
        let take = usize::try_from(self.left).unwrap_or(usize::MAX).min(reader.0.len());
        let bytes = reader.take(take).unwrap_or_default();
        self.left -= bytes.len() as u64;
        // Passwords and the data of COPY are of no interest.
        if !self.holed && !matches!(self.tag, b'p' | b'd') {
            let room = MAX_KEPT - self.body.len().min(MAX_KEPT);
            self.body.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
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
        (self.body.len() as u64) < self.length
    }
}
