//! The principal functions are [`begins_request`] and [`stderr`]: records of FastCGI.
//!
//! Source: FastCGI Specification, version 1.0, section 3.3 (records), 5.1 (`FCGI_BEGIN_REQUEST`), 5.3 (`FCGI_STDERR`).

use super::reader::{Reader, printable};

const VERSION: u8 = 1;
const BEGIN_REQUEST: u8 = 1;
const STDERR: u8 = 7;
/// The highest type of record.
const MAX_TYPE: u8 = 11;
/// Records of one send that are walked.
const MAX_RECORDS: usize = 64;
/// Bytes of text on standard error that are kept.
const MAX_TEXT: usize = 512;

/// A record; its content as far as it was seen.
struct Record<'a> {
    kind: u8,
    request: u16,
    length: u16,
    content: &'a [u8],
}

/// Whether a request begins here: what a web server sends first.
pub fn begins_request(first: &[u8]) -> bool {
    let Some(record) = records(first).next() else { return false };
    // Role and flags, and five bytes that are 0.
    record.kind == BEGIN_REQUEST
        && record.request != 0
        && record.length == 8
        && matches!(record.content, [0, 1..=3, ..])
}

/// What of an answer goes to standard error, as far as it was seen; cut, and without control characters.
pub fn stderr(payload: &[u8]) -> Option<String> {
    let mut text = Vec::new();
    for record in records(payload).take(MAX_RECORDS).filter(|record| record.kind == STDERR) {
        let room = MAX_TEXT + 1 - text.len().min(MAX_TEXT + 1);
        text.extend_from_slice(record.content.get(..room).unwrap_or(record.content));
    }
    (!text.is_empty()).then(|| printable(text.trim_ascii(), MAX_TEXT))
}

/// Records from the first byte on, until something is none.
fn records(payload: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut reader = Reader(payload);
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
        Some(Record { kind, request, length, content })
    })
}
