//! [`directives`]: the directives of a line of `Cache-Control`, whatever it holds.

use crate::text::trim;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Directive<'a> {
    pub(super) name: &'a [u8],
    /// The value without quotes: `None` without `=`; `Some(None)` if it is invalid: white space around the `=`, an
    /// unterminated quote, anything behind the quoted string.
    pub(super) value: Option<Option<&'a [u8]>>,
}

/// Directives in order. Text in a quoted string is never a directive.
pub(super) fn directives(line: &[u8]) -> impl Iterator<Item = Directive<'_>> {
    let mut rest = line;
    // From an open quote on, quotes are ordinary bytes: what it hides may forbid, and no byte is scanned repeatedly.
    let mut has_open_quote = false;
    std::iter::from_fn(move || {
        while let [b' ' | b'\t' | b',', after @ ..] = rest {
            rest = after;
        }
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr2(b'=', b',', rest).unwrap_or(rest.len());
        let (written, after) = rest.split_at(end);
        let name = trim(written);
        let [b'=', after @ ..] = after else {
            rest = after;
            return Some(Directive { name, value: None });
        };
        let has_space = name.len() != written.len() || matches!(after, [b' ' | b'\t', ..]);
        let text = trim_start(after);
        let quoted = text.strip_prefix(b"\"");
        let (value, after) =
            match quoted.map(|quoted| (quoted, if has_open_quote { None } else { end_of_quoted(quoted) })) {
                Some((quoted, Some(end))) => {
                    let (behind, after) = to_comma(&quoted[end + 1..]);
                    (behind.is_empty().then_some(&quoted[..end]), after)
                }
                Some(_) => {
                    has_open_quote = true;
                    (None, to_comma(text).1)
                }
                None => {
                    let (value, after) = to_comma(text);
                    (Some(value), after)
                }
            };
        rest = after;
        Some(Directive { name, value: Some(value.filter(|_| !has_space)) })
    })
}

/// Position of the quote that ends a quoted string. Escapes stay as written: no known value needs one.
fn end_of_quoted(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match text.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn to_comma(text: &[u8]) -> (&[u8], &[u8]) {
    let (value, after) = text.split_at(memchr::memchr(b',', text).unwrap_or(text.len()));
    (trim(value), after)
}

fn trim_start(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = text {
        text = rest;
    }
    text
}
