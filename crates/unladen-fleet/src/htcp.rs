//! The principal type is [`HtcpClear`]: a purge as HTCP sends it (RFC 2756, section 6.5: CLR), read from one datagram.
//!
//! There are no answers: with a forged address they would go to others. Nothing here does I/O.
//!
//! The RFC has the opcode in the upper half of its octet, Squid (with minor version 0) and MediaWiki in the lower one.
//! As a request's other half is zero, both can be distinguished, and both are read.
//!
//! ```
//! use unladen_fleet::{HtcpClear, HtcpError};
//!
//! let url = b"http://wiki.example/wiki/Picnic";
//! let mut specifier = [&[0, 4][..], b"HEAD", &[0, url.len() as u8], url, &[0, 8], b"HTTP/1.0", &[0, 0]].concat();
//! let data = 8 + 2 + specifier.len() as u8;
//! let mut datagram = vec![0, 4 + data + 2, 0, 0, 0, data, 4, 0, 1, 2, 3, 4, 0, 0];
//! datagram.append(&mut specifier);
//! datagram.extend([0, 2]);
//! assert_eq!(HtcpClear::read(&datagram)?.url, "http://wiki.example/wiki/Picnic");
//! # Ok::<(), HtcpError>(())
//! ```

use crate::Page;

/// Maximum bytes of a URL: as of a page's address.
pub const LONGEST_HTCP_URL: usize = 16 * 1024;
/// Bytes read of a datagram, so that the length shows a longer one: one with the longest URL fits.
pub const LONGEST_HTCP_DATAGRAM: usize = LONGEST_HTCP_URL + 1024;

/// CLR: forget the responses for a URL.
const CLR: u8 = 4;
/// Octets of the DATA section before the operation's own.
const DATA_HEAD: usize = 8;
/// Octets of an empty AUTH section: its length.
const NO_AUTH: usize = 2;

/// A purge of one URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HtcpClear<'a> {
    /// As sent: absolute, visible ASCII only, neither resolved nor decoded.
    pub url: &'a str,
    pub transaction: u32,
}

/// Why a datagram is no purge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HtcpError {
    #[error("HTCP: the lengths in the datagram do not add up to its {0} bytes")]
    Length(usize),
    #[error("HTCP: the version is {major}.{minor}; only 0.0 and 0.1 are known")]
    Version { major: u8, minor: u8 },
    #[error("HTCP: it is a response, but no request was sent")]
    Response,
    #[error("HTCP: it is not a CLR: the opcode octet is {0:#04x}")]
    Opcode(u8),
    /// It is signed, and no keys are known here.
    #[error(
        "HTCP: it is signed, but signatures are not supported: send it without AUTH, and name the sender in \
        `htcp_from`"
    )]
    Signed,
    /// Neither GET nor HEAD: only their responses are stored.
    #[error("HTCP: the method is neither GET nor HEAD")]
    Method,
    #[error("HTCP: the version of HTTP is neither HTTP/1.0 nor HTTP/1.1")]
    Http,
    /// No absolute URL of HTTP, or not visible ASCII.
    #[error(
        "HTCP: the URL is not an absolute one of http or https in visible ASCII, of {LONGEST_HTCP_URL} bytes at most"
    )]
    Url,
}

struct Rest<'a> {
    bytes: &'a [u8],
    whole: usize,
}

impl<'a> HtcpClear<'a> {
    /// Parses a datagram.
    ///
    /// # Errors
    /// If it is anything but a complete and well-formed purge without a signature.
    pub fn read(datagram: &'a [u8]) -> Result<Self, HtcpError> {
        let whole = datagram.len();
        let mut rest = Rest { bytes: datagram, whole };
        let (length, [major, minor]) = (rest.length()?, rest.octets()?);
        if length != whole {
            return Err(HtcpError::Length(whole));
        }
        if major != 0 || minor > 1 {
            return Err(HtcpError::Version { major, minor });
        }
        let length = rest.length()?;
        let [opcode, flags] = rest.octets()?;
        let transaction = u32::from_be_bytes(rest.octets()?);
        // The end of the flags that holds the response bit depends on the bit order of the octet before.
        let is_response = match (opcode, minor) {
            (0x40, _) => flags & 0x01 != 0,
            (0x04, 0) => flags & 0x80 != 0,
            // A response has a value in the other half.
            (other, 0) if other & 0x0f == CLR || other >> 4 == CLR => true,
            (other, _) if other >> 4 == CLR => true,
            (other, _) => return Err(HtcpError::Opcode(other)),
        };
        if is_response {
            return Err(HtcpError::Response);
        }
        let operation = length.checked_sub(DATA_HEAD).ok_or(HtcpError::Length(whole))?;
        let mut data = Rest { bytes: rest.take(operation)?, whole };
        let auth = rest.length()?;
        if auth > NO_AUTH && rest.bytes.len() == auth - NO_AUTH {
            return Err(HtcpError::Signed);
        }
        if auth != NO_AUTH || !rest.bytes.is_empty() {
            return Err(HtcpError::Length(whole));
        }
        // Twelve bits are reserved, and the four of the reason change nothing.
        let [_, _] = data.octets()?;
        let (method, url, version) = (data.counted()?, data.counted()?, data.counted()?);
        // The request's headers would select a variant; all variants are forgotten.
        data.counted()?;
        if !data.bytes.is_empty() {
            return Err(HtcpError::Length(whole));
        }
        if !matches!(method, b"GET" | b"HEAD") {
            return Err(HtcpError::Method);
        }
        if !matches!(version, b"HTTP/1.0" | b"HTTP/1.1" | b"1.0" | b"1.1") {
            return Err(HtcpError::Http);
        }
        Ok(Self { url: absolute(url).ok_or(HtcpError::Url)?, transaction })
    }

    /// The page, in either scheme: senders know their pages by one, and clients may request the other. Without a
    /// fragment, which is never requested.
    pub fn page(&self) -> Page {
        let (_, rest) = self.url.split_once("://").unwrap_or_default();
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let slash = if target.starts_with('/') { "" } else { "/" };
        Page { is_https: None, authority: authority.to_owned(), target: format!("{slash}{target}") }
    }
}

fn absolute(url: &[u8]) -> Option<&str> {
    if url.len() > LONGEST_HTCP_URL || !url.iter().all(u8::is_ascii_graphic) {
        return None;
    }
    let url = std::str::from_utf8(url).ok()?;
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let is_http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    (is_http && !authority.is_empty() && !authority.contains('@')).then_some(url)
}

impl<'a> Rest<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], HtcpError> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(HtcpError::Length(self.whole))?;
        self.bytes = rest;
        Ok(taken)
    }

    fn octets<const N: usize>(&mut self) -> Result<[u8; N], HtcpError> {
        self.take(N)?.try_into().map_err(|_| HtcpError::Length(self.whole))
    }

    fn length(&mut self) -> Result<usize, HtcpError> {
        self.octets().map(u16::from_be_bytes).map(usize::from)
    }

    /// A length-prefixed text (COUNTSTR).
    fn counted(&mut self) -> Result<&'a [u8], HtcpError> {
        let length = self.length()?;
        self.take(length)
    }
}

#[cfg(test)]
mod tests;
