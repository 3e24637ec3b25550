//! Writes untrusted bytes as JSON strings: [`string`].

/// Replaces bytes that are not UTF-8.
const REPLACEMENT: &str = "\u{fffd}";

/// Appends a quoted string of at most `limit` bytes between the quotes; returns whether all of it was written.
///
/// Terminal controls are escaped too (DEL and the controls of ISO 6429 from U+0080), since logs are read on terminals.
pub(super) fn string(bytes: &[u8], limit: usize, into: &mut Vec<u8>) -> bool {
    into.push(b'"');
    let whole = text(bytes, into.len().saturating_add(limit), into);
    into.push(b'"');
    whole
}

fn text(bytes: &[u8], end: usize, into: &mut Vec<u8>) -> bool {
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while !rest.is_empty() {
            // Nearly all text needs no look at each character.
            let plain = rest.bytes().position(|b| !is_plain(b)).unwrap_or(rest.len());
            let fits = plain.min(end - into.len());
            into.extend_from_slice(&rest.as_bytes()[..fits]);
            let after = &rest[plain..];
            if fits < plain {
                return false;
            }
            let mut characters = after.chars();
            if characters.next().is_some_and(|c| !character(c, end, into)) {
                return false;
            }
            rest = characters.as_str();
        }
        if !chunk.invalid().is_empty() && !append(REPLACEMENT.as_bytes(), end, into) {
            return false;
        }
    }
    true
}

fn is_plain(b: u8) -> bool {
    matches!(b, b' '..=b'~') && b != b'"' && b != b'\\'
}

fn character(c: char, end: usize, into: &mut Vec<u8>) -> bool {
    match c {
        '"' => append(b"\\\"", end, into),
        '\\' => append(b"\\\\", end, into),
        '\n' => append(b"\\n", end, into),
        '\r' => append(b"\\r", end, into),
        '\t' => append(b"\\t", end, into),
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => {
            let mut escape = b"\\u00".to_vec();
            super::hex::write(&[c as u8], &mut escape);
            append(&escape, end, into)
        }
        c => append(c.encode_utf8(&mut [0; 4]).as_bytes(), end, into),
    }
}

fn append(bytes: &[u8], end: usize, into: &mut Vec<u8>) -> bool {
    let fits = into.len() + bytes.len() <= end;
    if fits {
        into.extend(bytes);
    }
    fits
}

#[cfg(test)]
mod tests;
