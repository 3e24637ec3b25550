//! The principal type is [`Multipart`]: the framing of a `multipart/byteranges` body (RFC 9110, section 14.6).

use std::io::Write as _;
use std::ops::Range;

/// The framing of a multipart body: head, part, head, part …, tail.
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
