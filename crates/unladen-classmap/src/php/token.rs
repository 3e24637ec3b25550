//! The tokens of PHP's text, without comments and white space. The principal type is [`Tokens`].

mod word;

use std::borrow::Cow;

pub(crate) use word::{Token, What};

use super::skip::{Text, begins_label, blank, double_quoted, heredoc, html, label, single_quoted};
use super::string;

/// Signs of more than one byte, the longer first.
const SIGNS: &[&[u8]] = &[
    b"...", b"===", b"!==", b"<=>", b"**=", b"??=", b"<<=", b">>=", b"?->", b"=>", b"->", b"::", b"==", b"!=", b"<>",
    b"<=", b">=", b"&&", b"||", b"??", b".=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=", b"|=", b"^=", b"++", b"--",
    b"**", b"<<", b">>", b"#[",
];

#[derive(Debug, Clone)]
pub(crate) struct Tokens<'a> {
    source: &'a [u8],
    position: Position,
    peeked: Option<(Token<'a>, Position)>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Position {
    at: usize,
    line: u32,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(source: &'a [u8]) -> Self {
        let mut tokens = Self { source, position: Position { at: 0, line: 1 }, peeked: None };
        tokens.pass(html(source, 0).unwrap_or(source.len()));
        tokens
    }

    /// Returns the next token. At the end, and after an error, it is always the same.
    pub(crate) fn next(&mut self) -> Token<'a> {
        if let Some((token, after)) = self.peeked.take() {
            self.position = after;
            return token;
        }
        self.read()
    }

    pub(crate) fn peek(&mut self) -> &Token<'a> {
        let before = self.position;
        let (token, after) = match self.peeked.take() {
            Some(peeked) => peeked,
            None => (self.read(), self.position),
        };
        self.position = before;
        &self.peeked.insert((token, after)).0
    }

    /// Position before what [`Tokens::next`] returns.
    pub(crate) fn position(&self) -> Position {
        self.position
    }

    pub(crate) fn go_back(&mut self, position: Position) {
        self.peeked = None;
        self.position = position;
    }

    pub(crate) fn word_start(&self) -> Option<usize> {
        blank(self.source, self.position.at)
    }

    /// From 1.
    pub(crate) fn line(&self) -> u32 {
        self.position.line
    }

    fn read(&mut self) -> Token<'a> {
        let Some(start) = blank(self.source, self.position.at) else {
            return self.broken("the end of a comment was expected");
        };
        self.pass(start);
        let line = self.position.line;
        match self.what(start) {
            Ok((what, end)) => {
                self.pass(end);
                Token { what, line }
            }
            Err(expected) => self.broken(expected),
        }
    }

    /// The rest is lost.
    fn broken(&self, expected: &'static str) -> Token<'a> {
        Token { what: What::Broken(expected), line: self.position.line }
    }

    fn pass(&mut self, to: usize) {
        let passed = self.source.get(self.position.at..to).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', passed).count();
        self.position =
            Position { at: to, line: self.position.line.saturating_add(lines.try_into().unwrap_or(u32::MAX)) };
    }

    fn what(&self, at: usize) -> Result<(What<'a>, usize), &'static str> {
        let source = self.source;
        let rest = source.get(at..).unwrap_or_default();
        let within = |from: usize, to: usize| source.get(from..to).unwrap_or_default();
        Ok(match rest {
            [] => (What::End, at),
            // It ends a statement; what is printed is a statement of its own.
            [b'?', b'>', ..] => (What::Mark(b";"), html(source, at + 2).unwrap_or(source.len())),
            [b'$', first, ..] if begins_label(*first) => {
                let end = label(source, at + 1);
                (What::Variable(within(at + 1, end)), end)
            }
            [b'\'', ..] => {
                let end = single_quoted(source, at).ok_or("`'` was expected, at the end of a string")?;
                (What::Text(string::single_quoted(within(at + 1, end - 1))), end)
            }
            [b'"', ..] => {
                let end = double_quoted(source, at).ok_or("`\"` was expected, at the end of a string")?;
                (pieces(string::double_quoted(within(at + 1, end - 1), Some(b'"'))), end)
            }
            // A byte string, as all of PHP's are.
            [b'b' | b'B', b'\'' | b'"', ..] => return self.what(at + 1),
            [b'`', ..] => {
                let end = super::skip::backtick(source, at).ok_or("`` ` `` was expected, at the end of a command")?;
                (What::Unknown, end)
            }
            [b'<', b'<', b'<', ..] if let Some((_, body)) = Text::heredoc(source, at) => {
                let end = heredoc(source, at).ok_or("the end of a heredoc was expected")?;
                (pieces(string::heredoc(within(at, body), within(body, end))), end)
            }
            [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => {
                let end = at + word::number_length(rest);
                (word::number(within(at, end)), end)
            }
            [first, ..] if begins_label(*first) || (*first == b'\\' && begins_label(*rest.get(1).unwrap_or(&0))) => {
                let end = qualified(source, at);
                (What::Name(within(at, end)), end)
            }
            _ => {
                let length = SIGNS.iter().find(|sign| rest.starts_with(sign)).map_or(1, |sign| sign.len());
                (What::Mark(within(at, at + length)), at + length)
            }
        })
    }
}

/// After the qualified name at `at`.
fn qualified(source: &[u8], at: usize) -> usize {
    let mut end = if source.get(at) == Some(&b'\\') { at } else { label(source, at) };
    while source.get(end) == Some(&b'\\') {
        let next = label(source, end + 1);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    end
}

fn pieces(pieces: Option<Vec<string::Piece<'_>>>) -> What<'_> {
    match pieces {
        None => What::Unknown,
        Some(mut pieces) => match pieces.as_mut_slice() {
            [string::Piece::Text(text)] => What::Text(std::mem::replace(text, Cow::Borrowed(&[]))),
            _ => What::Template(pieces),
        },
    }
}

#[cfg(test)]
mod tests;
