//! The principal type is [`Lines`]: the lines of a head, as far as they have arrived.

use httparse::{EMPTY_HEADER, Error};
use memchr::memchr;

use crate::Fault;

// Most heads have fewer fields, and room for these is cheap.
const FEW: usize = 32;
const MANY: usize = 128;

/// Iterates over the lines at the start of a connection's bytes. Each must end with CRLF. Only bytes within the limit
/// are looked at, so that the outcome does not depend on how many have arrived.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    // the limit is reached
    full: bool,
}

#[derive(Debug)]
pub(crate) struct Block<'a> {
    bytes: &'a [u8],
    lines: usize,
}

impl<'a> Lines<'a> {
    /// At most 4 GiB, whatever the limit: [`Fields`](crate::Fields) count in 32 bits.
    pub(crate) fn new(bytes: &'a [u8], limit: usize) -> Self {
        let limit = limit.min(u32::MAX as usize);
        Self { bytes: bytes.get(..limit).unwrap_or(bytes), at: 0, full: bytes.len() >= limit }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next line without CRLF, or `None` if it is incomplete.
    pub(crate) fn next(&mut self) -> Result<Option<&'a [u8]>, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(feed) = memchr(b'\n', rest) else {
            return if self.full { Err(Fault::HeadTooLong) } else { Ok(None) };
        };
        let line = rest.get(..feed).unwrap_or_default().strip_suffix(b"\r").ok_or(Fault::LineEnd)?;
        self.at += feed + 1;
        Ok(Some(line))
    }

    /// Everything up to and including the empty line, or `None` if it is incomplete.
    pub(crate) fn block(&mut self, most: usize) -> Result<Option<Block<'a>>, Fault> {
        let start = self.at;
        let mut lines = 0;
        loop {
            match self.next()? {
                None => return Ok(None),
                Some([]) => break,
                Some(_) if lines == most => return Err(Fault::TooManyFields),
                Some(_) => lines += 1,
            }
        }
        Ok(Some(Block { bytes: self.bytes.get(start..self.at).unwrap_or_default(), lines }))
    }
}

impl<'a> Block<'a> {
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Upper bound of the number of fields.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// Passes each field's name and value on, until one is refused.
    pub(crate) fn fields(&self, take: impl FnMut(&'a [u8], &'a [u8]) -> Result<(), Fault>) -> Result<(), Fault> {
        if self.lines <= FEW {
            self.read(&mut [EMPTY_HEADER; FEW], take)
        } else if self.lines <= MANY {
            self.read(&mut [EMPTY_HEADER; MANY], take)
        } else {
            self.read(&mut vec![EMPTY_HEADER; self.lines], take)
        }
    }

    fn read(
        &self,
        room: &mut [httparse::Header<'a>],
        mut take: impl FnMut(&'a [u8], &'a [u8]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        match httparse::parse_headers(self.bytes, room) {
            Ok(httparse::Status::Complete((length, fields))) if length == self.bytes.len() => {
                fields.iter().try_for_each(|field| take(field.name.as_bytes(), field.value))
            }
            Err(Error::TooManyHeaders) => Err(Fault::TooManyFields),
            _ if has_bare_return(self.bytes) => Err(Fault::LineEnd),
            _ => Err(Fault::Field),
        }
    }
}

pub(crate) fn has_bare_return(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
}
