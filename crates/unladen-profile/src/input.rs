//! The principal type is [`Input`]: a file's bytes and their position.

use std::io::{self, BufRead, Read};

mod packed;

pub(crate) use packed::MAX_UNPACKED;
use packed::Packing;

/// Some editors and shells write it before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file read from beginning to end, with its position. Readers stream: a file may be larger than memory.
///
/// gzip and zstd are unpacked, and a byte order mark before a text is skipped.
pub struct Input<'a> {
    inner: Box<dyn BufRead + 'a>,
    offset: u64,
    is_begun: bool,
    is_packed: bool,
}

// === impl Input ===

impl<'a> Input<'a> {
    /// From buffered bytes. The first come at once, so that they tell whether the file is packed.
    pub fn new(inner: &'a mut dyn BufRead) -> Self {
        Self { inner: Box::new(inner), offset: 0, is_begun: false, is_packed: false }
    }

    /// Bytes read so far, unpacked.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn is_packed(&self) -> bool {
        self.is_packed
    }

    fn begin(&mut self) -> io::Result<()> {
        if self.is_begun {
            return Ok(());
        }
        self.is_begun = true;
        if let Some(packing) = Packing::of(self.inner.fill_buf()?) {
            let inner = std::mem::replace(&mut self.inner, Box::new(io::empty()));
            self.inner = packing.unpack(inner)?;
            self.is_packed = true;
        }
        if self.inner.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
            self.consume(BYTE_ORDER_MARK.len());
        }
        Ok(())
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.begin()?;
        let read = self.inner.read(buffer)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl BufRead for Input<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.begin()?;
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.offset += amount as u64;
        self.inner.consume(amount);
    }
}

#[cfg(test)]
mod tests;
