//! Skips strings, comments, heredocs, and the text outside of PHP. No principal type: functions over a file's bytes and
//! an offset, which return the offset after the thing, or `None` if it does not end. An offset beyond the end counts as
//! the end.
//!
//! They follow PHP's own scanner (`Zend/zend_language_scanner.l`).

use memchr::{memchr, memchr3};
use wide::u8x16;

/// Whether a name may begin with this byte. PHP takes all bytes from 0x80 for letters, whatever the encoding.
pub(crate) const fn begins_label(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

pub(crate) const fn is_label(byte: u8) -> bool {
    begins_label(byte) || byte.is_ascii_digit()
}

pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// After the name at `at`; `at` itself if there is none.
pub(crate) fn label(source: &[u8], at: usize) -> usize {
    let rest = source.get(at..).unwrap_or_default();
    if !rest.first().is_some_and(|&first| begins_label(first)) {
        return at;
    }
    at + rest.iter().position(|&byte| !is_label(byte)).unwrap_or(rest.len())
}

/// After the next opening tag from `at`, which is in text outside of PHP; `None` if all the rest is text.
///
/// Tags are `<?=`, `<?php` before white space or the end, and `<?` before white space. The last is PHP only with
/// `short_open_tag`, which is on by default without a php.ini, and off in php.ini-production: where it is off, a class
/// after it would be printed and not declared, which nobody leaves in their code. `<?xml` and other XML instructions
/// are text.
pub(crate) fn html(source: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    loop {
        at += memchr(b'<', source.get(at..)?)? + 1;
        let rest = &source[at..];
        if rest.first() != Some(&b'?') {
            continue;
        }
        match rest.get(1) {
            Some(b'=') => return Some(at + 2),
            Some(&byte) if is_space(byte) => return Some(at + 1),
            Some(b'p' | b'P') if rest.get(1..4).is_some_and(|word| word.eq_ignore_ascii_case(b"php")) => {
                match rest.get(4) {
                    None => return Some(at + 4),
                    Some(&byte) if is_space(byte) => return Some(at + 4),
                    Some(_) => {}
                }
            }
            _ => {}
        }
    }
}

/// After the string whose `'` is at `at`.
pub(crate) fn single_quoted(source: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at = find(source, at, |lane| is(lane, b'\'') | is(lane, b'\\'))?;
        if source[at] == b'\'' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// After the comment whose `//` or `#` is at `at`: at the end of its line, or before a `?>`. It always ends.
pub(crate) fn line_comment(source: &[u8], at: usize) -> usize {
    let mut at = at;
    while let Some(found) = source.get(at..).and_then(|rest| memchr3(b'\n', b'\r', b'?', rest)) {
        at += found;
        if source[at] != b'?' || source.get(at + 1) == Some(&b'>') {
            return at;
        }
        at += 1;
    }
    source.len()
}

/// After the comment whose `/*` is at `at`.
pub(crate) fn block_comment(source: &[u8], at: usize) -> Option<usize> {
    // Search for the slash, not the star: a comment has few slashes, and often a star on every line.
    let mut at = at + 3;
    loop {
        at += memchr(b'/', source.get(at..)?)?;
        if source[at - 1] == b'*' {
            return Some(at + 1);
        }
        at += 1;
    }
}

/// Whether a comment begins at `at`, and not an attribute (`#[`).
pub(crate) fn begins_comment(source: &[u8], at: usize) -> bool {
    match source.get(at) {
        Some(b'#') => source.get(at + 1) != Some(&b'['),
        Some(b'/') => matches!(source.get(at + 1), Some(b'/' | b'*')),
        _ => false,
    }
}

/// After any comment that begins at `at`.
pub(crate) fn comment(source: &[u8], at: usize) -> Option<usize> {
    if source.get(at) == Some(&b'/') && source.get(at + 1) == Some(&b'*') {
        block_comment(source, at)
    } else {
        Some(line_comment(source, at))
    }
}

/// After the white space and comments at `at`, if any. `None` if a comment does not end.
pub(crate) fn blank(source: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    loop {
        match source.get(at) {
            Some(&byte) if is_space(byte) => at += 1,
            Some(b'/' | b'#') if begins_comment(source, at) => at = comment(source, at)?,
            _ => return Some(at),
        }
    }
}

/// Bytes examined at once: what one instruction of any x86-64 or aarch64 compares.
const LANE: usize = 16;

/// The first offset from `at` that `wanted` marks.
///
/// The strings and stretches of code it skips are short, mostly below 50 bytes: calling memchr's functions, which are
/// faster on long ones, takes longer.
#[inline(always)]
pub(crate) fn find(source: &[u8], at: usize, wanted: impl Fn(u8x16) -> u8x16) -> Option<usize> {
    let mut rest = source.get(at..)?;
    while let Some((lane, behind)) = rest.split_first_chunk::<LANE>() {
        let hits = wanted(u8x16::new(*lane)).to_bitmask();
        if hits != 0 {
            return Some(source.len() - rest.len() + hits.trailing_zeros() as usize);
        }
        rest = behind;
    }
    let mut lane = [0; LANE];
    lane[..rest.len()].copy_from_slice(rest);
    let found = wanted(u8x16::new(lane)).to_bitmask().trailing_zeros() as usize;
    (found < rest.len()).then(|| source.len() - rest.len() + found)
}

#[inline(always)]
pub(crate) fn is(lane: u8x16, byte: u8) -> u8x16 {
    lane.simd_eq(u8x16::splat(byte))
}

// `{$` and `${` begin code, which ends at its `}` and may hold any PHP: strings and closures too. A simple
// `$name[key]` cannot hold a quote, and is text here.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Text<'a> {
    /// `"…"` or `` `…` ``, by its quote.
    Quoted(u8),
    Heredoc(&'a [u8]),
    /// `<<<'LABEL'`, without interpolation.
    Nowdoc(&'a [u8]),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The text ends: the offset after it.
    End(usize),
    /// Code begins: its first offset, after its `{`.
    Code(usize),
}

impl<'a> Text<'a> {
    /// The heredoc or nowdoc whose `<<<` is at `at`, and the offset of its first line; `None` if these are mere signs.
    pub(crate) fn heredoc(source: &'a [u8], at: usize) -> Option<(Self, usize)> {
        let rest = source.get(at..)?.strip_prefix(b"<<<")?;
        let mut from = at + 3 + rest.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
        let quote = source.get(from).copied().filter(|byte| matches!(byte, b'\'' | b'"'));
        from += usize::from(quote.is_some());
        let mut to = label(source, from);
        let name = &source[from..to];
        if name.is_empty() {
            return None;
        }
        if let Some(quote) = quote {
            if source.get(to) != Some(&quote) {
                return None;
            }
            to += 1;
        }
        let body = match source.get(to..)? {
            [b'\r', b'\n', ..] => to + 2,
            [b'\r' | b'\n', ..] => to + 1,
            _ => return None,
        };
        Some((if quote == Some(b'\'') { Self::Nowdoc(name) } else { Self::Heredoc(name) }, body))
    }

    /// How the stretch of text from `at` ends, which is after the opening quote, at the heredoc's first line, or after
    /// the `}` of code. `None` if the file ends first.
    pub(crate) fn part(self, source: &[u8], at: usize) -> Option<Part> {
        match self {
            Self::Quoted(quote) => quoted(source, at, quote),
            Self::Heredoc(name) => lines(source, at, name, true),
            Self::Nowdoc(name) => lines(source, at, name, false),
        }
    }

    /// After this text and all that is nested in it.
    fn end(self, source: &[u8], at: usize) -> Option<usize> {
        // With the open braces of each one's code: a list and not recursion, for which a malicious file could be too
        // deep.
        let mut around: Vec<(Text<'_>, usize)> = Vec::new();
        let (mut text, mut at) = (self, at);
        loop {
            match text.part(source, at)? {
                Part::Code(code) => {
                    around.push((text, 0));
                    at = code;
                }
                Part::End(after) if around.is_empty() => return Some(after),
                Part::End(after) => at = after,
            }
            text = loop {
                let (outer, depth) = around.last_mut()?;
                match *source.get(at)? {
                    b'{' => *depth += 1,
                    b'}' if *depth == 0 => {
                        let outer = *outer;
                        around.pop();
                        at += 1;
                        break outer;
                    }
                    b'}' => *depth -= 1,
                    quote @ (b'"' | b'`') => {
                        at += 1;
                        break Text::Quoted(quote);
                    }
                    b'<' => {
                        if let Some((text, body)) = Text::heredoc(source, at) {
                            at = body;
                            break text;
                        }
                    }
                    b'\'' => {
                        at = single_quoted(source, at)?;
                        continue;
                    }
                    b'/' | b'#' if begins_comment(source, at) => {
                        at = comment(source, at)?;
                        continue;
                    }
                    b'?' if source.get(at + 1) == Some(&b'>') => {
                        at = html(source, at + 2)?;
                        continue;
                    }
                    _ => {}
                }
                at += 1;
            };
        }
    }
}

/// After the string whose `"` is at `at`.
pub(crate) fn double_quoted(source: &[u8], at: usize) -> Option<usize> {
    Text::Quoted(b'"').end(source, at + 1)
}

/// After the command whose `` ` `` is at `at`.
pub(crate) fn backtick(source: &[u8], at: usize) -> Option<usize> {
    Text::Quoted(b'`').end(source, at + 1)
}

/// After the heredoc or nowdoc whose `<<<` is at `at`; `None` also if none begins there, see [`Text::heredoc`].
pub(crate) fn heredoc(source: &[u8], at: usize) -> Option<usize> {
    let (text, body) = Text::heredoc(source, at)?;
    text.end(source, body)
}

fn quoted(source: &[u8], at: usize, quote: u8) -> Option<Part> {
    let mut at = at;
    // Before this offset, a `{` was escaped.
    let mut floor = at;
    loop {
        at = find(source, at, |lane| is(lane, quote) | is(lane, b'\\') | is(lane, b'$'))?;
        match source[at] {
            b'\\' => {
                at += 2;
                floor = at;
            }
            b'$' => match code(source, at, floor) {
                Some(code) => return Some(Part::Code(code)),
                None => at += 1,
            },
            _ => return Some(Part::End(at + 1)),
        }
    }
}

fn lines(source: &[u8], at: usize, name: &[u8], values: bool) -> Option<Part> {
    let mut at = at;
    let mut floor = at;
    // Only at a heredoc's very first line has the line end before it been read already.
    if matches!(source.get(at.wrapping_sub(1)), Some(b'\n' | b'\r'))
        && let Some(after) = closing(source, at, name)
    {
        return Some(Part::End(after));
    }
    loop {
        at = if values {
            find(source, at, |lane| is(lane, b'\n') | is(lane, b'\r') | is(lane, b'\\') | is(lane, b'$'))?
        } else {
            find(source, at, |lane| is(lane, b'\n') | is(lane, b'\r'))?
        };
        match source[at] {
            b'\n' | b'\r' => {
                at += 1;
                if let Some(after) = closing(source, at, name) {
                    return Some(Part::End(after));
                }
            }
            // A line's end cannot be escaped.
            b'\\' => {
                at += if matches!(source.get(at + 1), Some(b'\n' | b'\r')) { 1 } else { 2 };
                floor = at;
            }
            _ => match code(source, at, floor) {
                Some(code) => return Some(Part::Code(code)),
                None => at += 1,
            },
        }
    }
}

/// The first offset of the code whose `$` is at `at`.
fn code(source: &[u8], at: usize, floor: usize) -> Option<usize> {
    if at > floor && source[at - 1] == b'{' {
        Some(at)
    } else if source.get(at + 1) == Some(&b'{') {
        Some(at + 2)
    } else {
        None
    }
}

/// After the label that ends a heredoc, if the line at `at`, maybe indented, begins with it as a whole name.
fn closing(source: &[u8], at: usize, name: &[u8]) -> Option<usize> {
    let rest = source.get(at..)?;
    let indent = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    let after = rest[indent..].strip_prefix(name)?;
    if after.first().is_some_and(|&byte| is_label(byte)) { None } else { Some(at + indent + name.len()) }
}

#[cfg(test)]
mod tests;
