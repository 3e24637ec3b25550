//! The principal type is [`Input`]: a file's bytes and their position.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

/// Some editors and shells write it before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file read from beginning to end, with its position. Readers stream: a file may be larger than memory.
///
/// gzip and zstd are unpacked, and a byte order mark before a text is skipped.
pub struct Input<'a> {
    inner: Box<dyn BufRead + 'a>,
    offset: u64,
    is_begun: bool,
    pub(crate) is_packed: bool,
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

/// Unpacking stops at 1 GiB: gzip packs zeros a thousandfold, so that a small file could fill any memory. The test
/// would take too long with as much.
pub(crate) const MAX_UNPACKED: u64 = if cfg!(test) { 1 << 24 } else { 1 << 30 };

/// Compression of a whole file.
#[derive(Clone, Copy)]
enum Packing {
    Gzip,
    Zstd,
}

struct Unpacked<R> {
    inner: R,
    left: u64,
    packing: Packing,
}

impl Packing {
    fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    fn unpack<'a>(self, inner: Box<dyn BufRead + 'a>) -> io::Result<Box<dyn BufRead + 'a>> {
        let inner: Box<dyn Read + 'a> = match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(inner)),
            Self::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(inner)?),
        };
        Ok(Box::new(BufReader::with_capacity(64 << 10, Unpacked { inner, left: MAX_UNPACKED, packing: self })))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let name = self.packing.name();
        let read = self.inner.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                io::Error::new(error.kind(), format!("the file is cut off within the data packed by {name}"))
            }
            kind => io::Error::new(kind, format!("{name} cannot unpack it: {error}")),
        })?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            let most = MAX_UNPACKED >> 20;
            io::Error::other(format!(
                "unpacked, it has more than {most} MiB, the limit: unpack it first, with `{name} -d`"
            ))
        })?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests;
