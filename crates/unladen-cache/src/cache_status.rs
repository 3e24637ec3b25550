//! The principal type is [`CacheStatus`]: what the cache did, for `Cache-Status` (RFC 9211).

use std::io::Write as _;

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

// === impl Forwarded ===

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

// === impl CacheStatus ===

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
        // writing to memory does not fail
        if let Some(status) = self.forwarded_status {
            let _ = write!(out, "; fwd-status={status}");
        }
        if let Some(ttl) = self.ttl {
            let _ = write!(out, "; ttl={}", ttl.clamp(-LARGEST, LARGEST));
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

/// A token if it can be, else a string of what strings may hold (RFC 9651, sections 3.3.3 and 3.3.4).
fn write_text(text: &str, out: &mut Vec<u8>) {
    let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'*');
    if begins && text.split([':', '/']).all(|part| part.is_empty() || is_token(part.as_bytes())) {
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
