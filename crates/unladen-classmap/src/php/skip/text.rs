//! Strings with interpolation: `"…"`, `` `…` `` and heredocs. The principal type is [`Text`].
//!
//! `{$` and `${` begin code, which ends at its `}` and may hold any PHP: strings and closures too. A simple
//! `$name[key]` cannot hold a quote, and is text here.

use super::{begins_comment, comment, find, html, is, is_label, label, single_quoted};

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
