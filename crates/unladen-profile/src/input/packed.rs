//! The principal type is [`Packing`]: compression of a whole file.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;

/// Unpacking stops at 1 GiB: gzip packs zeros a thousandfold, so that a small file could fill any memory. The test
/// would take too long with as much.
pub(crate) const MAX_UNPACKED: u64 = if cfg!(test) { 1 << 24 } else { 1 << 30 };

#[derive(Clone, Copy)]
pub(super) enum Packing {
    Gzip,
    Zstd,
}

struct Unpacked<R> {
    inner: R,
    left: u64,
    packing: Packing,
}

impl Packing {
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    pub(super) fn unpack<'a>(self, inner: Box<dyn BufRead + 'a>) -> io::Result<Box<dyn BufRead + 'a>> {
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
                io::Error::new(error.kind(), format!("the file is cut off within what {name} has packed"))
            }
            kind => io::Error::new(kind, format!("{name} cannot unpack it: {error}")),
        })?;
        self.left = self.left.checked_sub(read as u64).ok_or_else(|| {
            let most = MAX_UNPACKED >> 20;
            io::Error::other(format!(
                "unpacked it has more than {most} MiB, which is more than is read: unpack it first, by `{name} -d`"
            ))
        })?;
        Ok(read)
    }
}
