//! The principal types are [`RequestLine`] and [`StatusLine`]: the first line of a head. [`authority`]: the host in a
//! target or in Host, with its port.

use std::net::Ipv6Addr;

use memchr::{memchr, memrchr};

use crate::Fault;
use crate::bytes::{self, is_host_byte};
use crate::lines::has_bare_return;

/// RFC 9112, section 3.
#[derive(Debug)]
pub(crate) struct RequestLine<'a> {
    pub(crate) method: &'a [u8],
    pub(crate) target: Target<'a>,
    pub(crate) minor: u8,
}

/// A target in origin-form, whatever form it was received in.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    pub(crate) authority: Option<&'a [u8]>,
    /// Missing start of the path: `/`, or nothing.
    pub(crate) root: &'static [u8],
    /// Path and query, or `*`.
    pub(crate) path: &'a [u8],
}

/// RFC 9112, section 4.
#[derive(Debug)]
pub(crate) struct StatusLine {
    pub(crate) status: u16,
    pub(crate) minor: u8,
}

impl<'a> RequestLine<'a> {
    pub(crate) fn read(line: &'a [u8]) -> Result<Self, Fault> {
        Self::words(line).map_err(|fault| if has_bare_return(line) { Fault::LineEnd } else { fault })
    }

    // Exactly one space between words: RFC 9112, section 3, warns of readers that accept more.
    fn words(line: &'a [u8]) -> Result<Self, Fault> {
        let first = memchr(b' ', line).ok_or(Fault::StartLine)?;
        let last = memrchr(b' ', line).ok_or(Fault::StartLine)?;
        let method = line.get(..first).unwrap_or_default();
        let target = line.get(first + 1..last).unwrap_or_default();
        if !bytes::is_token(method) || target.is_empty() {
            return Err(Fault::StartLine);
        }
        let minor = version(line.get(last + 1..).unwrap_or_default())?;
        check_method(method)?;
        Ok(Self { method, target: Target::read(method, target)?, minor })
    }
}

impl<'a> Target<'a> {
    fn read(method: &[u8], raw: &'a [u8]) -> Result<Self, Fault> {
        if !bytes::is_target(raw) {
            return Err(Fault::Target);
        }
        if raw.first() == Some(&b'/') || (raw == b"*" && method == b"OPTIONS") {
            return Ok(Self { authority: None, root: b"", path: raw });
        }
        Self::absolute(method, raw).ok_or(Fault::Target)
    }

    fn absolute(method: &[u8], raw: &'a [u8]) -> Option<Self> {
        let colon = memchr(b':', raw)?;
        let (scheme, rest) = raw.split_at(colon);
        if !scheme.eq_ignore_ascii_case(b"http") && !scheme.eq_ignore_ascii_case(b"https") {
            return None;
        }
        let rest = rest.strip_prefix(b"://")?;
        let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        let authority = Some(authority(host)?);
        Some(match path {
            // RFC 9112, section 3.2.4
            [] if method == b"OPTIONS" => Self { authority, root: b"", path: b"*" },
            [b'/', ..] => Self { authority, root: b"", path },
            _ => Self { authority, root: b"/", path },
        })
    }
}

impl StatusLine {
    /// Parses a line without its CRLF. The space before an empty reason phrase may be missing: many servers leave it
    /// out.
    pub(crate) fn read(line: &[u8]) -> Result<Self, Fault> {
        Self::words(line).map_err(|fault| if has_bare_return(line) { Fault::LineEnd } else { fault })
    }

    fn words(line: &[u8]) -> Result<Self, Fault> {
        let (first, rest) = line.split_at_checked(8).ok_or(Fault::StartLine)?;
        let minor = version(first)?;
        let [b' ', a @ b'1'..=b'5', b @ b'0'..=b'9', c @ b'0'..=b'9', reason @ ..] = rest else {
            return Err(Fault::StartLine);
        };
        match reason {
            [] => {}
            [b' ', phrase @ ..] if phrase.iter().all(|byte| bytes::is_text_byte(*byte)) => {}
            _ => return Err(Fault::StartLine),
        }
        let status = [a, b, c].iter().fold(0, |sum, digit| sum * 10 + u16::from(*digit - b'0'));
        Ok(Self { status, minor })
    }
}

fn version(bytes: &[u8]) -> Result<u8, Fault> {
    match bytes {
        b"HTTP/1.1" => Ok(1),
        b"HTTP/1.0" => Ok(0),
        [b'H', b'T', b'T', b'P', b'/', major, b'.', minor] if major.is_ascii_digit() && minor.is_ascii_digit() => {
            Err(Fault::Version)
        }
        _ => Err(Fault::StartLine),
    }
}

// Methods are case-sensitive, but not for all: a server that takes `head` for HEAD sends no body, and a reader that
// waits for one takes the next response for it.
pub(crate) fn check_method(method: &[u8]) -> Result<(), Fault> {
    let is_like = |name: &[u8]| method.eq_ignore_ascii_case(name);
    if is_like(b"CONNECT") || (is_like(b"HEAD") && method != b"HEAD") { Err(Fault::Method) } else { Ok(()) }
}

/// Longer than any DNS name.
const MAX_HOST: usize = 255;

/// The authority without an empty port (`example.org:`), if it is valid: a name, an IPv4 address, or an IPv6 address in
/// brackets; and a port up to 65535. No userinfo.
pub(crate) fn authority(bytes: &[u8]) -> Option<&[u8]> {
    let host = if bytes.first() == Some(&b'[') { address(bytes)? } else { name(bytes)? };
    match bytes.get(host..)? {
        [] => Some(bytes),
        [b':'] => bytes.get(..host),
        [b':', port @ ..] => is_port(port).then_some(bytes),
        _ => None,
    }
}

// Length of the name at the start. Empty labels are invalid, since `..` and `.example.org` are taken for paths and
// suffixes.
fn name(bytes: &[u8]) -> Option<usize> {
    let mut last = b'.';
    let mut length = 0;
    for byte in bytes {
        if !is_host_byte(*byte) {
            break;
        }
        if *byte == b'.' && last == b'.' {
            return None;
        }
        last = *byte;
        length += 1;
    }
    (1..=MAX_HOST).contains(&length).then_some(length)
}

// Length of the address in brackets at the start.
fn address(bytes: &[u8]) -> Option<usize> {
    let end = memchr::memchr(b']', bytes)?;
    let inner = std::str::from_utf8(bytes.get(1..end)?).ok()?;
    inner.parse::<Ipv6Addr>().ok()?;
    Some(end + 1)
}

fn is_port(digits: &[u8]) -> bool {
    digits.len() <= 5
        && digits.iter().all(u8::is_ascii_digit)
        && digits.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')) <= u32::from(u16::MAX)
}

#[cfg(test)]
mod tests;
