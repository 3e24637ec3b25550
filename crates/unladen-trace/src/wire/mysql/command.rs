//! The principal type is [`Command`].

use super::packet::LARGE;
use crate::wire::kept::Kept;

/// A command, of one packet or several.
#[derive(Debug)]
pub(super) struct Command {
    /// Of its first packet: 0, unless it is none but part of something else.
    pub(super) first: u8,
    /// Of its last packet.
    pub(super) sequence: u8,
    /// What all its packets hold.
    pub(super) kept: Kept,
    /// The packet is of the greatest length: another follows.
    more: bool,
}

impl Command {
    /// With its first packet.
    pub(super) fn new(sequence: u8, length: u32) -> Self {
        let mut command = Self { first: sequence, sequence, kept: Kept::default(), more: false };
        command.packet(sequence, length);
        command
    }

    /// A packet of it begins.
    pub(super) fn packet(&mut self, sequence: u8, length: u32) {
        self.sequence = sequence;
        self.kept.announce(u64::from(length));
        self.more = length == LARGE;
    }

    /// Over bytes that were not seen; how many were its own. Heads of further packets of the same command are among
    /// them.
    pub(super) fn skip(&mut self, hole: u64) -> u64 {
        // A client that waits for its answer sends nothing behind it.
        if self.more && hole > self.kept.left {
            self.kept.announce(hole - self.kept.left);
            self.more = false;
        }
        self.kept.skip(hole)
    }

    /// Whether nothing of it is still to come.
    pub(super) fn is_complete(&self) -> bool {
        self.kept.left == 0 && !self.more
    }
}
