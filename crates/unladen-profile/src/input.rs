//! The principal type is [`Input`]: bytes of a file, with the place where they stand.

use std::io::{self, BufRead, Read};

/// A file that is read from its beginning to its end, and knows where it is. Readers stream: a file may be larger than
/// memory.
pub struct Input<'a> {
    inner: &'a mut dyn BufRead,
    offset: u64,
}

// === impl Input ===

impl<'a> Input<'a> {
    /// Of anything that is buffered.
    pub fn new(inner: &'a mut dyn BufRead) -> Self {
        Self { inner, offset: 0 }
    }

    /// Bytes read until now.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl BufRead for Input<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.offset += amount as u64;
        self.inner.consume(amount);
    }
}

#[cfg(test)]
mod tests;
