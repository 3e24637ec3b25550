//! The tokens of PHP's text, without comments and white space. The principal type is [`Tokens`].

use std::borrow::Cow;

use crate::php::skip::{Text, begins_label, blank, double_quoted, heredoc, html, label, single_quoted};
use crate::php::string::{self, Piece};

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
            return self.broken("expected the end of a comment");
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
                let end = single_quoted(source, at).ok_or("expected `'` at the end of a string")?;
                (What::Text(string::single_quoted(within(at + 1, end - 1))), end)
            }
            [b'"', ..] => {
                let end = double_quoted(source, at).ok_or("expected `\"` at the end of a string")?;
                (pieces(string::double_quoted(within(at + 1, end - 1), Some(b'"'))), end)
            }
            // A byte string, as all of PHP's are.
            [b'b' | b'B', b'\'' | b'"', ..] => return self.what(at + 1),
            [b'`', ..] => {
                let end = super::skip::backtick(source, at).ok_or("expected `` ` `` at the end of a command")?;
                (What::Unknown, end)
            }
            [b'<', b'<', b'<', ..] if let Some((_, body)) = Text::heredoc(source, at) => {
                let end = heredoc(source, at).ok_or("expected the end of a heredoc")?;
                (pieces(string::heredoc(within(at, body), within(body, end))), end)
            }
            [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => {
                let end = at + number_length(rest);
                (number_of(within(at, end)), end)
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

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) what: What<'a>,
    /// From 1.
    pub(crate) line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What<'a> {
    /// A name or keyword as written, with its namespace: `array`, `A\B`, `\A\B`, `namespace\B`.
    Name(&'a [u8]),
    /// Without its `$`.
    Variable(&'a [u8]),
    /// The value of a string without variables.
    Text(Cow<'a, [u8]>),
    /// A string with plain variables.
    Template(Vec<Piece<'a>>),
    /// A string with other interpolation, a command, or a number that is no integer.
    Unknown,
    Int(i64),
    /// A sign: `=>`, `(`; a `;` for `?>`.
    Mark(&'a [u8]),
    End,
    /// PHP would fail here, as this was expected.
    Broken(&'static str),
}

impl What<'_> {
    pub(crate) fn words(&self) -> String {
        let of = |text: &[u8]| {
            let text = String::from_utf8_lossy(text);
            let short: String = text.chars().take(40).collect();
            if short.len() < text.len() { format!("`{short}…`") } else { format!("`{short}`") }
        };
        match self {
            Self::Name(name) | Self::Mark(name) => of(name),
            Self::Variable(name) => of(&[b"$", *name].concat()),
            Self::Text(text) => format!("the string {}", of(text)),
            Self::Template(_) | Self::Unknown => "a value known only at run time".to_owned(),
            Self::Int(number) => format!("`{number}`"),
            Self::End => "the end of the file".to_owned(),
            Self::Broken(expected) => format!("invalid PHP: {expected}"),
        }
    }
}

fn number_length(text: &[u8]) -> usize {
    let mut length = 0;
    while let Some(byte) = text.get(length) {
        let exponent = matches!(text.get(..length), Some([first, .., b'e' | b'E']) if *first != b'0')
            || matches!(text.get(..length), Some([b'0', second, .., b'e' | b'E']) if !matches!(second, b'x' | b'X'));
        let of_it = match byte {
            b'.' => text.get(length + 1).is_none_or(|next| *next != b'.') && !text.starts_with(b"0x"),
            b'+' | b'-' => exponent,
            byte => byte.is_ascii_alphanumeric() || *byte == b'_',
        };
        if !of_it {
            break;
        }
        length += 1;
    }
    length
}

/// An integer, or a number whose value does not matter here.
fn number_of<'a>(text: &[u8]) -> What<'a> {
    let digits: String =
        text.iter().filter(|byte| **byte != b'_').map(|byte| byte.to_ascii_lowercase() as char).collect();
    let value = if let Some(hexadecimal) = digits.strip_prefix("0x") {
        i64::from_str_radix(hexadecimal, 16)
    } else if let Some(binary) = digits.strip_prefix("0b") {
        i64::from_str_radix(binary, 2)
    } else if let Some(octal) = digits.strip_prefix("0o").or(digits.strip_prefix('0')).filter(|octal| !octal.is_empty())
    {
        i64::from_str_radix(octal, 8)
    } else {
        digits.parse()
    };
    value.map_or(What::Unknown, What::Int)
}

#[cfg(test)]
mod tests;
