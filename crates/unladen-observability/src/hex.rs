//! Bytes as lower-case hexadecimal digits, and back.

pub(super) fn write(bytes: &[u8], into: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    into.reserve(2 * bytes.len());
    for byte in bytes {
        into.extend_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

pub(super) fn string(bytes: &[u8]) -> String {
    let mut digits = Vec::with_capacity(bytes.len() * 2);
    write(bytes, &mut digits);
    digits.into_iter().map(char::from).collect()
}

/// Parses exactly this number of lower-case digits; `None` for anything else.
pub(super) fn read<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

fn digit(c: u8) -> Option<u8> {
    match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        _ => None,
    }
}
