//! The principal type is [`Lines`]: the lines of a head, one after another, as far as they have come.

use httparse::{EMPTY_HEADER, Error};
use memchr::memchr;

use crate::Fault;

// Most heads have fewer fields, and so few are quick to make room for.
const FEW: usize = 32;
const MANY: usize = 128;

/// Goes through the start of a connection's bytes line by line. Each ends with CRLF and no other way. Only the bytes
/// within the limit are looked at, so that the outcome does not depend on how many have come.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    // there is no room for more
    full: bool,
}

/// All lines after the first.
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

    /// How many bytes have been gone through.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The next byte, if it has come.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next line without its CRLF, or none if it is not whole yet.
    pub(crate) fn next(&mut self) -> Result<Option<&'a [u8]>, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(feed) = memchr(b'\n', rest) else {
            return if self.full { Err(Fault::HeadTooLong) } else { Ok(None) };
        };
        let line = rest.get(..feed).unwrap_or_default().strip_suffix(b"\r").ok_or(Fault::LineEnd)?;
        self.at += feed + 1;
        Ok(Some(line))
    }

    /// All that follows up to and with the empty line, or none if it is not whole yet.
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
    /// All of it, with the empty line at the end.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many fields it has at most.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// Gives each field's name and value, until one is refused.
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

/// Whether there is a carriage return that no line feed follows.
pub(crate) fn has_bare_return(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n'))
}
