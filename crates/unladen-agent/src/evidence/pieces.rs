//! The principal type is [`Bounded`]: evidence as JSON, up to a maximum length.

use std::io::{self, Write};

use super::message::MAX_EVIDENCE;

/// Bytes of a piece: well below a frame.
const PIECE: usize = 1 << 19;

#[derive(Debug, Default)]
pub(super) struct Bounded {
    bytes: Vec<u8>,
}

impl Bounded {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Pieces, with a flag on the last.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let count = self.bytes.len().div_ceil(PIECE);
        self.bytes.chunks(PIECE).enumerate().map(move |(index, piece)| (piece, index + 1 == count))
    }
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > MAX_EVIDENCE {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
