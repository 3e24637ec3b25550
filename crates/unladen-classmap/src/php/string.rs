//! Strings of PHP, from their values and to them. The principal type is [`Piece`]; [`literal`] writes one.

use std::borrow::Cow;

use crate::php::skip::label;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Text(Cow<'a, [u8]>),
    /// A variable's name, without `$`.
    Variable(&'a [u8]),
}

/// Appends a constant string of PHP, in single quotes, where only `'` and `\` are special; all other bytes, line ends
/// too, stand for themselves. Composer writes them in the same way, by `var_export`.
pub(crate) fn literal(text: &mut Vec<u8>, bytes: &[u8]) {
    text.push(b'\'');
    let mut done = 0;
    for at in memchr::memchr2_iter(b'\'', b'\\', bytes) {
        text.extend_from_slice(&bytes[done..at]);
        text.push(b'\\');
        done = at;
    }
    text.extend_from_slice(&bytes[done..]);
    text.push(b'\'');
}

/// Unescapes the inside of single quotes: only `\\` and `\'` are escapes.
pub(crate) fn single_quoted(inner: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', inner).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut value = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match (byte, tail) {
            (b'\\', [escaped @ (b'\\' | b'\''), tail @ ..]) => {
                value.push(*escaped);
                rest = tail;
            }
            _ => value.push(*byte),
        }
    }
    Cow::Owned(value)
}

/// Unescapes a double-quoted string or, without a `quote`, a heredoc; `None` with more than plain variables.
pub(crate) fn double_quoted(inner: &[u8], quote: Option<u8>) -> Option<Vec<Piece<'_>>> {
    if memchr::memchr2(b'\\', b'$', inner).is_none() {
        return Some(vec![Piece::Text(Cow::Borrowed(inner))]);
    }
    let mut parts = Vec::new();
    let mut text = Vec::new();
    let mut at = 0;
    while let Some(byte) = inner.get(at) {
        let tail = inner.get(at + 1..).unwrap_or_default();
        let (name, taken) = match (byte, tail) {
            (b'\\', _) => {
                at += 1 + escape(tail, quote, &mut text)?;
                continue;
            }
            (b'$', [b'{', tail @ ..]) => {
                let name = name(tail);
                (tail.get(name.len()) == Some(&b'}')).then_some((name, name.len() + 3))?
            }
            (b'{', [b'$', tail @ ..]) => {
                let name = name(tail);
                (tail.get(name.len()) == Some(&b'}')).then_some((name, name.len() + 3))?
            }
            (b'$', _) if !name(tail).is_empty() => {
                let name = name(tail);
                let after = tail.get(name.len()..).unwrap_or_default();
                if after.starts_with(b"[") || after.starts_with(b"->") || after.starts_with(b"?->") {
                    return None;
                }
                (name, name.len() + 1)
            }
            _ => {
                text.push(*byte);
                at += 1;
                continue;
            }
        };
        if name.is_empty() {
            return None;
        }
        if !text.is_empty() {
            parts.push(Piece::Text(Cow::Owned(std::mem::take(&mut text))));
        }
        parts.push(Piece::Variable(name));
        at += taken;
    }
    if !text.is_empty() || parts.is_empty() {
        parts.push(Piece::Text(Cow::Owned(text)));
    }
    Some(parts)
}

fn name(text: &[u8]) -> &[u8] {
    text.get(..label(text, 0)).unwrap_or_default()
}

/// Appends the value of a `\` before `tail`; returns the bytes of `tail` it took. `None` if PHP refuses it.
fn escape(tail: &[u8], quote: Option<u8>, value: &mut Vec<u8>) -> Option<usize> {
    let Some(byte) = tail.first() else {
        value.push(b'\\');
        return Some(0);
    };
    let plain = match byte {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'v' => 0x0b,
        b'e' => 0x1b,
        b'f' => 0x0c,
        b'\\' | b'$' => *byte,
        _ if Some(*byte) == quote => *byte,
        b'0'..=b'7' => {
            let digits = run(tail, 3, |byte| matches!(byte, b'0'..=b'7'));
            let number = digits.iter().fold(0u16, |number, digit| number * 8 + u16::from(digit - b'0'));
            // PHP drops what exceeds a byte.
            value.push((number & 0xff) as u8);
            return Some(digits.len());
        }
        b'x' => {
            let digits = run(tail.get(1..).unwrap_or_default(), 2, |byte| byte.is_ascii_hexdigit());
            if !digits.is_empty() {
                value.push(hexadecimal(digits)? as u8);
                return Some(1 + digits.len());
            }
            value.extend(b"\\x");
            return Some(1);
        }
        b'u' if tail.get(1) == Some(&b'{') => {
            let digits = run(tail.get(2..).unwrap_or_default(), 8, |byte| byte.is_ascii_hexdigit());
            if tail.get(2 + digits.len()) != Some(&b'}') {
                return None;
            }
            code_point(hexadecimal(digits)?, value)?;
            return Some(3 + digits.len());
        }
        other => {
            value.extend([b'\\', *other]);
            return Some(1);
        }
    };
    value.push(plain);
    Some(1)
}

/// Encodes UTF-8 as PHP does: surrogates are allowed.
fn code_point(code: u32, value: &mut Vec<u8>) -> Option<()> {
    let low = |shift: u32| 0x80 | ((code >> shift) & 0x3f) as u8;
    match code {
        0..0x80 => value.push(code as u8),
        0x80..0x800 => value.extend([0xc0 | (code >> 6) as u8, low(0)]),
        0x800..0x1_0000 => value.extend([0xe0 | (code >> 12) as u8, low(6), low(0)]),
        0x1_0000..0x11_0000 => value.extend([0xf0 | (code >> 18) as u8, low(12), low(6), low(0)]),
        _ => return None,
    }
    Some(())
}

fn run(text: &[u8], most: usize, belongs: impl Fn(u8) -> bool) -> &[u8] {
    let count = text.iter().take(most).take_while(|byte| belongs(**byte)).count();
    text.get(..count).unwrap_or_default()
}

fn hexadecimal(digits: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The value of a heredoc, from its `start` (`<<<LABEL` and line's end) and `body`; `None` with more than plain
/// variables.
pub(crate) fn heredoc<'a>(start: &[u8], body: &'a [u8]) -> Option<Vec<Piece<'a>>> {
    let last = body.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |end| end + 1);
    let indent = body.get(last..)?.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let text = body.get(..last)?;
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    if indent > 0 {
        // Its lines would lose their indentation before escapes are read: nobody writes paths and names like that.
        return None;
    }
    if start.contains(&b'\'') { Some(vec![Piece::Text(Cow::Borrowed(text))]) } else { double_quoted(text, None) }
}
