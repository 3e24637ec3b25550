//! The function is [`carried`]: a target of a log, as a request can carry it.

use std::borrow::Cow;

/// Why no request can carry a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCarried {
    Blank,
    Fragment,
}

/// Path and query byte for byte as requested: the log's escapes are decoded, and what no request can carry as it stands
/// is percent-encoded. Nothing is resolved or normalised. Fails on blanks and `#`.
pub fn carried(path: &[u8]) -> Result<Cow<'_, str>, NotCarried> {
    // The log's escapes begin with a backslash; without one the text is raw.
    match std::str::from_utf8(path) {
        Ok(text) if path.iter().all(|byte| is_carried(*byte)) => Ok(Cow::Borrowed(text)),
        _ => encoded(path).map(Cow::Owned),
    }
}

fn is_carried(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'#' | b'\\' | b'"' | b'<' | b'>' | b'`')
}

/// Decodes the log's escapes, and percent-encodes what no request can carry: servers treat both alike.
fn encoded(path: &[u8]) -> Result<String, NotCarried> {
    let mut text = String::with_capacity(path.len() + 16);
    let mut rest = path;
    while let [first, after @ ..] = rest {
        let (byte, length) = if *first == b'\\' { unescaped(after) } else { (*first, 1) };
        rest = &rest[length.min(rest.len())..];
        match byte {
            b' ' | b'\t' => return Err(NotCarried::Blank),
            b'#' => return Err(NotCarried::Fragment),
            byte if is_carried(byte) => text.push(char::from(byte)),
            byte => {
                text.push('%');
                for digit in [byte >> 4, byte & 15] {
                    text.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
                }
            }
        }
    }
    Ok(text)
}

/// Byte of an escape as nginx (`\xC3`) and Apache (`\"`, `\\`, `\n`) write them, and its length; `after` follows the
/// backslash.
fn unescaped(after: &[u8]) -> (u8, usize) {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    match after {
        [b'x', high, low, ..] => match (digit(high), digit(low)) {
            (Some(high), Some(low)) => (high << 4 | low, 4),
            _ => (b'\\', 1),
        },
        [b'n', ..] => (b'\n', 2),
        [b'r', ..] => (b'\r', 2),
        [b't', ..] => (b'\t', 2),
        [b'b', ..] => (8, 2),
        [b'v', ..] => (11, 2),
        [byte @ (b'"' | b'\\'), ..] => (*byte, 2),
        _ => (b'\\', 1),
    }
}

#[cfg(test)]
mod tests;
