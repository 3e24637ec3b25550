//! The principal type is [`Cursor`]: the words of a line, from left to right.

use std::borrow::Cow;

use crate::error::Fault;
use crate::limits;

const FOUND: usize = 40;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pub(crate) rest: &'a str,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(line: &'a str) -> Self {
        Self { rest: line }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn unexpected(&self, expected: &'static str) -> Fault {
        let mut found: String = self.rest.chars().take(FOUND).flat_map(char::escape_default).collect();
        if found.is_empty() {
            found = "the end of the line".to_owned();
        } else {
            found = format!("`{found}`");
        }
        Fault::Unexpected { expected, found }
    }

    pub(crate) fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Consumes this text if it is next.
    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let after = self.rest.strip_prefix(text);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    pub(crate) fn expect(&mut self, text: &str, expected: &'static str) -> Result<(), Fault> {
        if self.eat(text) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Up to the next blank or the end.
    pub(crate) fn word(&mut self) -> &'a str {
        let end = self.rest.find([' ', '\t']).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Letters, digits, `_` and `:`.
    pub(crate) fn metric_name(&mut self) -> Result<&'a str, Fault> {
        self.name(true, "the name of a metric")
    }

    /// Letters, digits and `_`.
    pub(crate) fn label_name(&mut self) -> Result<&'a str, Fault> {
        self.name(false, "the name of a label")
    }

    fn name(&mut self, colons: bool, expected: &'static str) -> Result<&'a str, Fault> {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || (colons && byte == b':');
        let end = self.rest.bytes().position(|byte| !is_part(byte)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() || name.as_bytes()[0].is_ascii_digit() {
            return Err(self.unexpected(expected));
        }
        if name.len() > limits::NAME {
            return Err(Fault::TooMany { what: "bytes of a name", most: limits::NAME });
        }
        self.rest = rest;
        Ok(name)
    }

    /// A label's value after its opening quote, up to its closing one.
    pub(crate) fn quoted(&mut self) -> Result<Cow<'a, str>, Fault> {
        let end = self.rest.find(['"', '\\']).ok_or_else(|| self.unexpected("the end of a label's value (`\"`)"))?;
        if self.rest.as_bytes()[end] == b'"' {
            let value = &self.rest[..end];
            self.rest = &self.rest[end + 1..];
            return Ok(Cow::Borrowed(value));
        }
        let mut value = String::new();
        loop {
            let next =
                self.rest.find(['"', '\\']).ok_or_else(|| self.unexpected("the end of a label's value (`\"`)"))?;
            value.push_str(&self.rest[..next]);
            self.rest = &self.rest[next..];
            if self.eat("\"") {
                return Ok(Cow::Owned(value));
            }
            value.push(self.escaped(true)?);
        }
    }

    /// `\\`, `\n`, and `\"` where quotes are escaped.
    fn escaped(&mut self, quotes: bool) -> Result<char, Fault> {
        let escapes = [("\\\\", '\\', true), ("\\n", '\n', true), ("\\\"", '"', quotes)];
        for (written, character, holds) in escapes {
            if holds && self.eat(written) {
                return Ok(character);
            }
        }
        Err(self.unexpected("one of the escapes `\\\\`, `\\n`, `\\\"`"))
    }

    /// The rest of the line as help, unescaped. Invalid escapes stay: exporters write paths and expressions there.
    pub(crate) fn help(mut self, quotes: bool) -> Cow<'a, str> {
        if !self.rest.contains('\\') {
            return Cow::Borrowed(self.rest);
        }
        let mut text = String::new();
        while let Some(next) = self.rest.find('\\') {
            text.push_str(&self.rest[..next]);
            self.rest = &self.rest[next..];
            text.push(self.escaped(quotes).unwrap_or_else(|_| {
                self.rest = &self.rest[1..];
                '\\'
            }));
        }
        text.push_str(self.rest);
        Cow::Owned(text)
    }

    /// A number: decimal, with an exponent or not, `NaN`, `+Inf`, `-Inf`.
    pub(crate) fn number(&mut self, expected: &'static str) -> Result<f64, Fault> {
        let start = *self;
        let word = self.word();
        // Longer ones have digits that no f64 keeps.
        word.parse().ok().filter(|_| word.len() <= 64).ok_or_else(|| start.unexpected(expected))
    }
}
