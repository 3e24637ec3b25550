//! The principal type is [`CacheStatus`]: what the cache did, for `Cache-Status` (RFC 9211).

use crate::text::is_token;

/// What the cache did with a request, for `Cache-Status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatus<'a> {
    pub hit: bool,
    pub forwarded: Option<Forwarded>,
    pub forwarded_status: Option<u16>,
    /// Seconds of freshness left; negative if stale.
    pub ttl: Option<i64>,
    pub stored: bool,
    pub collapsed: bool,
    /// Written as a token if possible, else as a string.
    pub detail: Option<&'a str>,
}

/// Why the application was asked (RFC 9211, section 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case", const_into_str)]
pub enum Forwarded {
    /// The cache was told not to handle the request.
    Bypass,
    Method,
    /// Nothing is stored for the target.
    UriMiss,
    /// Stored responses of the target do not match the request.
    VaryMiss,
    /// No stored response could be used.
    Miss,
    /// The stored response is fresh, but the request asks for a new one.
    Request,
    Stale,
    Partial,
}

impl CacheStatus<'_> {
    /// Appends a list member: `unladen; hit; ttl=12`.
    pub fn write(&self, name: &str, out: &mut Vec<u8>) {
        write_text(name, out);
        if self.hit {
            out.extend_from_slice(b"; hit");
        }
        if let Some(forwarded) = self.forwarded {
            out.extend_from_slice(b"; fwd=");
            out.extend_from_slice(forwarded.into_str().as_bytes());
        }
        if let Some(status) = self.forwarded_status {
            out.extend_from_slice(b"; fwd-status=");
            write_number(i64::from(status), out);
        }
        if let Some(ttl) = self.ttl {
            out.extend_from_slice(b"; ttl=");
            write_number(ttl.clamp(-LARGEST, LARGEST), out);
        }
        if self.stored {
            out.extend_from_slice(b"; stored");
        }
        if self.collapsed {
            out.extend_from_slice(b"; collapsed");
        }
        if let Some(detail) = self.detail {
            out.extend_from_slice(b"; detail=");
            write_text(detail, out);
        }
    }
}

/// An integer of structured fields has 15 digits (RFC 9651, section 3.3.1).
const LARGEST: i64 = 999_999_999_999_999;

/// By hand: each hit has a number, and general formatting costs several times as much.
fn write_number(number: i64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = number.unsigned_abs();
    while let Some(before) = at.checked_sub(1) {
        at = before;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

/// As a token if possible, else as a string of the characters that strings may hold (RFC 9651, sections 3.3.3 and
/// 3.3.4).
fn write_text(text: &str, out: &mut Vec<u8>) {
    let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'*');
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if begins && (is_plain || text.split([':', '/']).all(|part| part.is_empty() || is_token(part.as_bytes()))) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    for byte in text.bytes().filter(|byte| (b' '..=b'~').contains(byte)) {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests;
