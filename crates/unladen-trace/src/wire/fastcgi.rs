//! The principal functions are [`records`], [`begins_request`] and [`stderr`]: records of FastCGI.
//!
//! Source: FastCGI Specification, version 1.0, section 3.3 (records), 5.1 (`FCGI_BEGIN_REQUEST`), 5.3 (`FCGI_STDERR`),
//! 8 (types).

use super::reader::{ByteReader, printable};

/// The only version there is.
pub const VERSION: u8 = 1;
/// `FCGI_BEGIN_REQUEST`
pub const BEGIN_REQUEST: u8 = 1;
/// `FCGI_END_REQUEST`
pub const END_REQUEST: u8 = 3;
/// `FCGI_PARAMS`
pub const PARAMS: u8 = 4;
/// `FCGI_STDIN`
pub const STDIN: u8 = 5;
/// `FCGI_STDOUT`
pub const STDOUT: u8 = 6;
/// `FCGI_STDERR`
pub const STDERR: u8 = 7;
/// Bytes of a record before its content.
pub const HEADER: usize = 8;
/// Highest type of record.
const MAX_TYPE: u8 = 11;
const MAX_RECORDS: usize = 64;
/// Bytes kept of standard error.
const MAX_TEXT: usize = 512;

/// A record; its content as far as it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// [`BEGIN_REQUEST`] to 11.
    pub kind: u8,
    /// Id of the request; 0 for none.
    pub request: u16,
    /// Bytes of the content.
    pub length: u16,
    /// Bytes after the content without meaning.
    pub padding: u8,
    pub content: &'a [u8],
}

impl Record<'_> {
    /// Whether all of its content is there.
    pub fn is_whole(&self) -> bool {
        self.content.len() == usize::from(self.length)
    }

    /// Its bytes with header and padding.
    pub fn size(&self) -> usize {
        HEADER + usize::from(self.length) + usize::from(self.padding)
    }
}

/// Whether a request begins here, as a web server's first record.
pub fn begins_request(first: &[u8]) -> bool {
    let Some(record) = records(first).next() else { return false };
    // Role and flags, and five bytes that are 0.
    record.kind == BEGIN_REQUEST
        && record.request != 0
        && record.length == 8
        && matches!(record.content, [0, 1..=3, ..])
}

/// The answer's text on standard error, as far as it was seen; cut, and without control characters.
pub fn stderr(payload: &[u8]) -> Option<String> {
    let mut text = Vec::new();
    for record in records(payload).take(MAX_RECORDS).filter(|record| record.kind == STDERR) {
        let room = MAX_TEXT + 1 - text.len().min(MAX_TEXT + 1);
        text.extend_from_slice(record.content.get(..room).unwrap_or(record.content));
    }
    (!text.is_empty()).then(|| printable(text.trim_ascii(), MAX_TEXT))
}

/// Records from the first byte until one is invalid. The last one's content may be cut.
pub fn records(payload: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut reader = ByteReader(payload);
    std::iter::from_fn(move || {
        let (version, kind, request, length) = (reader.u8()?, reader.u8()?, reader.u16()?, reader.u16()?);
        let padding = reader.u8()?;
        reader.u8()?;
        if version != VERSION || !(1..=MAX_TYPE).contains(&kind) {
            reader.0 = &[];
            return None;
        }
        let content = reader.0.get(..usize::from(length)).unwrap_or(reader.0);
        if reader.take(usize::from(length) + usize::from(padding)).is_none() {
            reader.0 = &[];
        }
        Some(Record { kind, request, length, padding, content })
    })
}
