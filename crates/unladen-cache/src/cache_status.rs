//! The principal type is [`CacheStatus`]: what the cache did, for `Cache-Status` (RFC 9211).

use crate::text::is_token;

/// What the cache did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatus<'a> {
    /// It answered without asking the application.
    pub hit: bool,
    /// Why the application was asked.
    pub forwarded: Option<Forwarded>,
    /// What the application answered.
    pub forwarded_status: Option<u16>,
    /// Seconds of freshness left; less than none: stale.
    pub ttl: Option<i64>,
    /// The answer was stored.
    pub stored: bool,
    /// The question was another's, too.
    pub collapsed: bool,
    /// More about it: a token if it can be, else a string.
    pub detail: Option<&'a str>,
}

/// Why the application was asked (RFC 9211, section 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forwarded {
    /// The cache was told not to handle the request.
    Bypass,
    /// The method is not for caches.
    Method,
    /// Nothing is stored for the target.
    UriMiss,
    /// What is stored for the target is for other requests.
    VaryMiss,
    /// Nothing that is stored could be used.
    Miss,
    /// What is stored is fresh, and the request would have it anew.
    Request,
    /// What is stored is stale.
    Stale,
    /// What is stored is a part.
    Partial,
}

impl Forwarded {
    /// Its token.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bypass => "bypass",
            Self::Method => "method",
            Self::UriMiss => "uri-miss",
            Self::VaryMiss => "vary-miss",
            Self::Miss => "miss",
            Self::Request => "request",
            Self::Stale => "stale",
            Self::Partial => "partial",
        }
    }
}

impl CacheStatus<'_> {
    /// Appends a member of the list: `unladen; hit; ttl=12`.
    pub fn write(&self, name: &str, out: &mut Vec<u8>) {
        write_text(name, out);
        if self.hit {
            out.extend_from_slice(b"; hit");
        }
        if let Some(forwarded) = self.forwarded {
            out.extend_from_slice(b"; fwd=");
            out.extend_from_slice(forwarded.as_str().as_bytes());
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

/// Its digits: each hit has some, and formatting them in general costs several times as much.
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

/// A token if it can be, else a string of what strings may hold (RFC 9651, sections 3.3.3 and 3.3.4).
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
