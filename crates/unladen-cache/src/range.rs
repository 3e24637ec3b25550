//! [`ranges`]: requested parts of a body (RFC 9110, section 14); [`Multipart`]: several parts in one body.

use std::io::Write as _;
use std::ops::Range;

use crate::text::{members, number, split_once};

/// Requested parts of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ranges {
    /// The whole: no range, an invalid one, or too many.
    Whole,
    /// Half-open, in the body's order, none empty, none touching another.
    Some(Vec<Range<u64>>),
    /// 416
    Unsatisfiable,
}

/// With more parts, the whole is served: each costs a head that nobody asked for.
const MOST_PARTS: usize = 8;
/// With more ranges, none is looked at.
const MOST_RANGES: usize = 64;

/// Reads `Range` for a body of this length. Ranges that overlap or touch are joined; the whole is served if more than 8
/// are left, or if they add up to more than the body (RFC 9110, section 14.2, on many small or overlapping ranges).
pub fn ranges(header: &[u8], length: u64) -> Ranges {
    let (unit, Some(set)) = split_once(header, b'=') else { return Ranges::Whole };
    if !unit.eq_ignore_ascii_case(b"bytes") {
        return Ranges::Whole;
    }
    let mut parts: Vec<Range<u64>> = Vec::new();
    let mut sum: u64 = 0;
    let mut count = 0;
    for member in members(set) {
        count += 1;
        let Some(part) = part(member, length) else { return Ranges::Whole };
        if count > MOST_RANGES {
            return Ranges::Whole;
        }
        if !part.is_empty() {
            sum = sum.saturating_add(part.end - part.start);
            parts.push(part);
        }
    }
    // An empty body has no range to name, though a suffix of it is valid: RFC 9110, section 14.1.2.
    if count == 0 || sum > length || (length == 0 && members(set).any(is_suffix)) {
        return Ranges::Whole;
    }
    if parts.is_empty() {
        return Ranges::Unsatisfiable;
    }
    parts.sort_unstable_by_key(|part| part.start);
    parts.dedup_by(|next, before| {
        let is_joined = next.start <= before.end;
        if is_joined {
            before.end = before.end.max(next.end);
        }
        is_joined
    });
    if parts.len() > MOST_PARTS { Ranges::Whole } else { Ranges::Some(parts) }
}

/// One range within the length; empty if it cannot be satisfied; `None` if it is invalid, and so the whole field.
fn part(text: &[u8], length: u64) -> Option<Range<u64>> {
    let (first, last) = split_once(text, b'-');
    let last = last?;
    if first.is_empty() {
        let suffix = number(last)?.min(length);
        return Some(length - suffix..length);
    }
    let first = number(first)?;
    let last = if last.is_empty() { u64::MAX } else { number(last)? };
    if last < first {
        return None;
    }
    let start = first.min(length);
    Some(start..last.saturating_add(1).min(length))
}

fn is_suffix(text: &[u8]) -> bool {
    text.first() == Some(&b'-') && number(&text[1..]) != Some(0)
}

/// The framing of a `multipart/byteranges` body (RFC 9110, section 14.6): head, part, head, part …, tail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multipart {
    /// One before each part.
    pub heads: Vec<Vec<u8>>,
    /// After the last part.
    pub tail: Vec<u8>,
    /// Bytes of it all, parts included.
    pub length: u64,
}

/// Framing for parts of a body of this length. `boundary`: letters and digits that do not occur in the body. The
/// response's `Content-Type` is `multipart/byteranges; boundary=…`; that of the parts is `content_type`.
pub fn multipart(parts: &[Range<u64>], length: u64, content_type: Option<&[u8]>, boundary: &str) -> Multipart {
    let mut heads = Vec::with_capacity(parts.len());
    let mut sum: u64 = 0;
    for part in parts {
        let mut head = Vec::new();
        // Writing to memory does not fail.
        let _ = write!(head, "\r\n--{boundary}\r\n");
        if let Some(content_type) = content_type {
            head.extend_from_slice(b"Content-Type: ");
            head.extend_from_slice(content_type);
            head.extend_from_slice(b"\r\n");
        }
        let _ = write!(head, "Content-Range: bytes {}-{}/{length}\r\n\r\n", part.start, part.end.saturating_sub(1));
        sum = sum.saturating_add(head.len() as u64).saturating_add(part.end.saturating_sub(part.start));
        heads.push(head);
    }
    let tail = format!("\r\n--{boundary}--\r\n").into_bytes();
    let length = sum.saturating_add(tail.len() as u64);
    Multipart { heads, tail, length }
}

#[cfg(test)]
mod tests;
