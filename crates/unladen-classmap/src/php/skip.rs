//! Skips strings, comments, heredocs, and the text outside of PHP. No principal type: functions over a file's bytes and
//! an offset, which return the offset after the thing, or `None` if it does not end. An offset beyond the end counts as
//! the end.
//!
//! They follow PHP's own scanner (`Zend/zend_language_scanner.l`).

mod find;
mod text;

use memchr::{memchr, memchr3};

pub(crate) use find::{find, is};
pub(crate) use text::{Part, Text, backtick, double_quoted, heredoc};

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

#[cfg(test)]
mod tests;
