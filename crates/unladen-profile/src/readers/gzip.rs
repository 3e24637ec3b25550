//! The principal type is [`Unpacked`]: a file that may be packed with gzip, read as what it holds.

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read, Take};

use flate2::bufread::{GzDecoder, MultiGzDecoder};

use crate::input::Input;
use crate::reader::HEAD;

/// More than this, 1 GiB, is not unpacked: gzip packs zeros a thousandfold, so that a small file could fill any memory.
/// Its own test would take too long with as much.
pub(crate) const MAX_UNPACKED: u64 = if cfg!(test) { 1 << 24 } else { 1 << 30 };

const MAGIC: &[u8] = &[0x1f, 0x8b, 8];

/// What a file holds, whether it is packed or not.
pub(crate) enum Unpacked<'a, 'b> {
    /// As it is on disk.
    Plain(&'a mut Input<'b>),
    /// Out of gzip, [`MAX_UNPACKED`] bytes and one at most.
    Packed(Box<BufReader<Take<MultiGzDecoder<&'a mut Input<'b>>>>>),
}

// === impl Unpacked ===

impl<'a, 'b> Unpacked<'a, 'b> {
    /// Of a file that stands at its beginning.
    pub(crate) fn new(input: &'a mut Input<'b>) -> io::Result<Self> {
        if input.fill_buf()?.starts_with(MAGIC) {
            let unpacked = MultiGzDecoder::new(input).take(MAX_UNPACKED + 1);
            return Ok(Self::Packed(Box::new(BufReader::with_capacity(HEAD, unpacked))));
        }
        Ok(Self::Plain(input))
    }

    /// Whether more was packed than is unpacked: what was read is not all.
    pub(crate) fn is_too_much(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Packed(unpacked) => unpacked.get_ref().limit() == 0,
        }
    }
}

impl Read for Unpacked<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(input) => input.read(buffer),
            Self::Packed(unpacked) => unpacked.read(buffer).map_err(cut_off),
        }
    }
}

/// What ended too early is told as what it is, not as what gzip calls it.
fn cut_off(error: io::Error) -> io::Error {
    let what = "the file is cut off within what gzip has packed";
    if error.kind() == io::ErrorKind::UnexpectedEof { io::Error::new(error.kind(), what) } else { error }
}

/// How what a file holds begins, as far as its own beginning tells.
pub(crate) fn head(head: &[u8]) -> Cow<'_, [u8]> {
    if !head.starts_with(MAGIC) {
        return head.into();
    }
    let mut unpacked = Vec::new();
    // The beginning of a packed file ends too early: what came until then is enough.
    let _ = GzDecoder::new(head).take(HEAD as u64).read_to_end(&mut unpacked);
    unpacked.into()
}
