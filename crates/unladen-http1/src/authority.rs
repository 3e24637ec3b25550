//! The host of a request: `host[:port]` of Host, or of a target in absolute-form.

use std::net::Ipv6Addr;

use crate::bytes::is_host_byte;

/// Longer than any DNS name.
const MAX_HOST: usize = 255;

/// The authority without an empty port (`example.org:`), if it is valid: a name, an IPv4 address, or an IPv6 address in
/// brackets; and a port up to 65535. No userinfo.
pub(crate) fn read(bytes: &[u8]) -> Option<&[u8]> {
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
