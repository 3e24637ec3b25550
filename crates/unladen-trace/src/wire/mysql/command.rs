//! The principal type is [`Command`].

use super::packet::LARGE;
use crate::wire::kept::Kept;

#[derive(Debug)]
pub(super) struct Command {
    /// Sequence of its first packet: 0, unless it is only part of something else.
    pub(super) first: u8,
    /// Sequence of its last packet.
    pub(super) sequence: u8,
    pub(super) kept: Kept,
    /// The packet has the maximum length: another follows.
    more: bool,
}

impl Command {
    pub(super) fn new(sequence: u8, length: u32) -> Self {
        let mut command = Self { first: sequence, sequence, kept: Kept::default(), more: false };
        command.packet(sequence, length);
        command
    }

    pub(super) fn packet(&mut self, sequence: u8, length: u32) {
        self.sequence = sequence;
        self.kept.announce(u64::from(length));
        self.more = length == LARGE;
    }

    /// Skips unseen bytes; returns how many were its own, including heads of its further packets.
    pub(super) fn skip(&mut self, hole: u64) -> u64 {
        // A client that waits for its answer sends nothing else.
        if self.more && hole > self.kept.left {
            self.kept.announce(hole - self.kept.left);
            self.more = false;
        }
        self.kept.skip(hole)
    }

    pub(super) fn is_complete(&self) -> bool {
        self.kept.left == 0 && !self.more
    }
}
