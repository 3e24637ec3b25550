//! How frames are written in a line of collapsed stacks.
//!
//! `;` separates frames and a newline follows the weight, so in names these are written as `\x3b`, `\x0a`, `\x0d`; a
//! name's own `\x3b` as `\x5cx3b`. Kernel frames end in `_[k]`, as stackcollapse-perf writes them; `_[i]` (inlined) and
//! `_[j]` (compiled at run time) stay part of the name, the former is native code. Another name that ends so has its
//! last bracket as `\x5d`.
//!
//! A name that ends in a space and a number has that space as `\x20`: two numbers at a line's end are a difference's.
//!
//! py-spy's raw format writes a function as `main (app.py:12)`, or `main (app.py)` without its line; in another name that
//! ends so, the last bracket is `\x29`.

use std::borrow::Cow;

use crate::frame::{Frame, FrameKind};

const KERNEL: &str = "_[k]";
const INLINED: &str = "_[i]";
/// Replaces an empty name, which readers skip.
pub(crate) const UNKNOWN: &str = "[unknown]";
const ESCAPED: [char; 8] = [';', '\n', '\r', '\\', ']', ')', ' ', '\t'];
/// `\x3b`
const ESCAPE: usize = 4;

pub(crate) fn escape(frame: Frame<'_>, out: &mut String) {
    if frame.name.is_empty() {
        out.push_str(UNKNOWN);
    }
    let ends_in = |mark: &str, kind| frame.name.ends_with(mark) && frame.kind != kind;
    let hides_place = place(frame.name).is_some();
    let hides_bracket = frame.name.ends_with(KERNEL) || ends_in(INLINED, FrameKind::Native);
    for (at, letter) in frame.name.char_indices() {
        let rest = &frame.name[at..];
        let is_escaped = match letter {
            ';' | '\n' | '\r' => true,
            '\\' => unescaped(rest).is_some(),
            ']' => hides_bracket && rest.len() == 1,
            ')' => hides_place && rest.len() == 1,
            ' ' | '\t' => is_number(rest.as_bytes().trim_ascii()),
            _ => false,
        };
        if is_escaped {
            out.push_str(&format!("\\x{:02x}", u32::from(letter)));
        } else {
            out.push(letter);
        }
    }
    if frame.kind == FrameKind::Kernel {
        out.push_str(KERNEL);
    }
}

/// Function, file and line of a frame as py-spy writes it: `main (app.py:12)`. Without a line, a file that can be little
/// else, as others write arguments there.
pub(crate) fn place(text: &str) -> Option<(&str, &str, u32)> {
    let (name, place) = text.strip_suffix(')')?.rsplit_once(" (")?;
    let is_line = |line: &str| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    let is_file = place.ends_with(".py") || place.ends_with(".so") || place.contains(".so.");
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) if is_line(line) => (file, line.parse().ok()?),
        _ if is_file || (place.starts_with('<') && place.ends_with('>')) => (place, 0),
        _ => return None,
    };
    (!name.is_empty() && !file.is_empty()).then_some((name, file, line))
}

/// Digits, perhaps with a fraction, as a line's weight is written.
pub(crate) fn is_number(text: &[u8]) -> bool {
    let (whole, fraction) = text.split_at(memchr::memchr(b'.', text).unwrap_or(text.len()));
    !whole.is_empty() && whole.iter().chain(fraction.iter().skip(1)).all(u8::is_ascii_digit)
}

/// Whether a text ends in white space and a number, as a stack with a column too many does.
pub(crate) fn ends_in_number(text: &[u8]) -> bool {
    let text = text.trim_ascii_end();
    memchr::memrchr2(b' ', b'\t', text).is_some_and(|space| is_number(&text[space + 1..]))
}

pub(crate) fn unescape(text: &str) -> (Cow<'_, str>, FrameKind) {
    let (text, kind) = match text.strip_suffix(KERNEL) {
        Some(name) if !name.is_empty() => (name, FrameKind::Kernel),
        _ if text.ends_with(INLINED) => (text, FrameKind::Native),
        _ => (text, FrameKind::Function),
    };
    if !text.contains('\\') {
        return (Cow::Borrowed(text), kind);
    }
    let mut name = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        name.push_str(&rest[..at]);
        rest = &rest[at..];
        let (letter, length) = unescaped(rest).map_or(('\\', 1), |letter| (letter, ESCAPE));
        name.push(letter);
        rest = &rest[length..];
    }
    name.push_str(rest);
    (Cow::Owned(name), kind)
}

fn unescaped(text: &str) -> Option<char> {
    let code = u8::from_str_radix(text.get(..ESCAPE)?.strip_prefix("\\x")?, 16).ok()?;
    ESCAPED.into_iter().find(|letter| u32::from(*letter) == u32::from(code))
}

#[cfg(test)]
mod tests;
