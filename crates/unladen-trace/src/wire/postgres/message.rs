//! The principal type is [`Message`].

use crate::wire::kept::Kept;
use crate::wire::reader::ByteReader;

#[derive(Debug)]
pub(super) struct Message {
    /// 0 for the first of a connection, which has none.
    pub(super) tag: u8,
    pub(super) kept: Kept,
}

impl Message {
    pub(super) fn new(tag: u8, length: u64) -> Self {
        let mut kept = Kept::default();
        kept.announce(length);
        Self { tag, kept }
    }

    pub(super) fn read(&mut self, reader: &mut ByteReader<'_>) {
        // Passwords and the data of COPY are of no interest.
        self.kept.read(reader, !matches!(self.tag, b'p' | b'd'));
    }
}
