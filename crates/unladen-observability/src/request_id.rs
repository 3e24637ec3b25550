//! Makes identifiers of requests: [`request_id`].

use super::{hex, random};

/// Appends a new identifier, 36 bytes: a UUID, version 4 (RFC 9562, section 5.4), as Envoy writes into `X-Request-Id`.
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
mod tests {
    use super::request_id;

    #[test]
    fn a_uuid_of_version_4() {
        let mut ids = std::collections::HashSet::new();
        for _ in 0..10_000 {
            let mut id = b"x".to_vec();
            request_id(&mut id);
            let id = String::from_utf8(id.split_off(1)).unwrap();
            let parts: Vec<&str> = id.split('-').collect();
            assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
            assert!(id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f' | b'-')), "{id}");
            assert!(parts[2].starts_with('4') && parts[3].starts_with(['8', '9', 'a', 'b']), "{id}");
            assert!(ids.insert(id));
        }
    }
}
