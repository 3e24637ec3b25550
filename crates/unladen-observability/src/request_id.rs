//! Makes request identifiers: [`request_id`].

use super::{hex, random};

/// Appends a new identifier, 36 bytes: a UUID, version 4 (RFC 9562, section 5.4), as in Envoy's `X-Request-Id`.
pub fn request_id(into: &mut Vec<u8>) {
    const VERSION: u128 = 0x4 << 76;
    const VARIANT: u128 = 0x2 << 62;
    let bits = random::wide_bits() & !(0xF << 76 | 0x3 << 62) | VERSION | VARIANT;
    let bytes = bits.to_be_bytes();
    for (index, part) in [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..10], &bytes[10..]].into_iter().enumerate()
    {
        if index > 0 {
            into.push(b'-');
        }
        hex::write(part, into);
    }
}

#[cfg(test)]
mod tests;
