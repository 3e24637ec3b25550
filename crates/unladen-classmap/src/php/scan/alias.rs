//! The second argument of `class_alias`, if one look tells. The principal type is [`Second`].

use bstr::BString;

use crate::php::skip::{self, begins_comment, is_label};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Second {
    Known(BString),
    /// Perhaps a constant expression: it takes more of the file to know it.
    Unclear,
    /// None, or known only as the file runs.
    None,
    NoCall,
}

/// Limit of the look for the end of the first argument: arguments can be calls, which would all be scanned again.
const NEAR: usize = 1000;

/// The second argument of the call whose `(` is the first sign at `at`.
pub(super) fn second(source: &[u8], at: usize) -> Second {
    let Some(open) = skip::blank(source, at).filter(|&at| source.get(at) == Some(&b'(')) else { return Second::NoCall };
    let near = &source[..source.len().min(open + NEAR)];
    let Some(comma) = first(near, open + 1) else {
        return if near.len() < source.len() { Second::Unclear } else { Second::None };
    };
    let Some(at) = skip::blank(source, comma + 1) else { return Second::None };
    let (end, plain) = match source.get(at) {
        Some(b'\'') => (skip::single_quoted(source, at), true),
        Some(b'"') => (skip::double_quoted(source, at), false),
        Some(b'$') | None => return Second::None,
        Some(_) => return Second::Unclear,
    };
    let Some(end) = end else { return Second::None };
    let text = &source[at + 1..end - 1];
    let closed = skip::blank(source, end).is_some_and(|at| matches!(source.get(at), Some(b',' | b')')));
    if !closed || named(source, open + 1) || (!plain && memchr::memchr2(b'\\', b'$', text).is_some()) {
        return Second::Unclear;
    }
    // In single quotes, `\\` and `\` before a letter are the same.
    name(&bstr::ByteSlice::replace(text, br"\\", br"\")).map_or(Second::None, Second::Known)
}

/// The name that PHP registers for `text`; `None` if PHP would not autoload it.
pub(super) fn name(text: &[u8]) -> Option<BString> {
    let name = text.strip_prefix(br"\").unwrap_or(text);
    let valid =
        name.split(|&byte| byte == b'\\').all(|label| !label.is_empty() && skip::label(label, 0) == label.len());
    valid.then(|| name.into())
}

/// The comma after the first argument, which begins at `at`.
fn first(source: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = at;
    loop {
        match *source.get(at)? {
            b',' if depth == 0 => return Some(at),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b'\'' => at = skip::single_quoted(source, at)? - 1,
            b'"' => at = skip::double_quoted(source, at)? - 1,
            b';' if depth == 0 => return None,
            b'/' | b'#' if begins_comment(source, at) => {
                at = skip::comment(source, at)?;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
}

fn named(source: &[u8], at: usize) -> bool {
    let Some(at) = skip::blank(source, at) else { return false };
    let Some(colon) = skip::blank(source, skip::label(source, at)) else { return false };
    is_label(source.get(at).copied().unwrap_or_default())
        && source.get(colon) == Some(&b':')
        && source.get(colon + 1) != Some(&b':')
}
