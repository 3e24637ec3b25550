//! The principal type is [`Command`]: the bytes of a command, as packets bring them.

use super::packet::LARGE;
use crate::wire::reader::ByteReader;

/// Bytes of a command that are kept; the rest is counted.
const MAX_KEPT: usize = 16 << 10;

/// A command, of one packet or several.
#[derive(Debug)]
pub(super) struct Command {
    /// Of its first packet: 0, unless it is none but part of something else.
    pub(super) first: u8,
    /// Of its last packet.
    pub(super) sequence: u8,
    /// What was seen of it, up to [`MAX_KEPT`].
    pub(super) body: Vec<u8>,
    pub(super) length: u64,
    /// Bytes of the packet that are still to come.
    pub(super) left: u64,
    /// The packet is of the greatest length: another follows.
    pub(super) more: bool,
    /// Part of it was not seen; what comes behind is not kept.
    pub(super) holed: bool,
}

impl Command {
    pub(super) fn begin(&mut self, length: u32) {
        self.left = u64::from(length);
        self.length += u64::from(length);
        self.more = length == LARGE;
    }

    pub(super) fn read(&mut self, reader: &mut ByteReader<'_>) {
        let take = usize::try_from(self.left).unwrap_or(usize::MAX).min(reader.0.len());
        let bytes = reader.take(take).unwrap_or_default();
        self.left -= bytes.len() as u64;
        if !self.holed {
            let room = MAX_KEPT - self.body.len().min(MAX_KEPT);
            self.body.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        }
    }

    /// Over bytes that were not seen; how many were its own. Heads of further packets of the same command are among
    /// them.
    pub(super) fn skip(&mut self, hole: u64) -> u64 {
        let own = if self.more { hole } else { hole.min(self.left) };
        // A client that waits for its answer sends nothing behind it.
        if self.more && own > self.left {
            self.length += own - self.left;
            self.more = false;
        }
        self.left = self.left.saturating_sub(own);
        self.holed |= own > 0;
        own
    }

    pub(super) fn is_truncated(&self) -> bool {
        (self.body.len() as u64) < self.length
    }
}
