//! The principal type is [`Words`]: a sentence with formatted parts.

use askama::Template;

use super::escape::address;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Plain(String),
    Strong(String),
    /// A foreign name: a group, a rule, a path.
    Name(String),
    /// Escaped address, and text.
    Link(String, String),
    Faint(String),
    /// Class (`good`, `bad`, `even`) and text.
    Mark(&'static str, String),
}

#[derive(Debug, Clone, Default, PartialEq, Template)]
#[template(path = "words.html")]
pub(crate) struct Words {
    pub(crate) parts: Vec<Part>,
}

impl Words {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Formats text between backquotes as names.
    pub(crate) fn plain(self, text: impl Into<String>) -> Self {
        self.prose(&text.into(), Part::Plain)
    }

    /// Like [`plain`](Self::plain).
    pub(crate) fn strong(self, text: impl Into<String>) -> Self {
        self.prose(&text.into(), Part::Strong)
    }

    fn prose(mut self, text: &str, part: fn(String) -> Part) -> Self {
        let pieces: Vec<&str> = text.split('`').collect();
        // An unpaired backquote is text.
        if pieces.len().is_multiple_of(2) {
            return self.with(part(text.to_owned()));
        }
        for (index, piece) in pieces.into_iter().enumerate().filter(|(_, piece)| !piece.is_empty()) {
            let piece = piece.to_owned();
            self = self.with(if index % 2 == 0 { part(piece) } else { Part::Name(piece) });
        }
        self
    }

    pub(crate) fn name(self, text: impl Into<String>) -> Self {
        self.with(Part::Name(text.into()))
    }

    pub(crate) fn faint(self, text: impl Into<String>) -> Self {
        self.with(Part::Faint(text.into()))
    }

    pub(crate) fn mark(self, class: &'static str, text: impl Into<String>) -> Self {
        self.with(Part::Mark(class, text.into()))
    }

    /// A link within the page or the site. Other addresses, and those longer than a request, become mere names.
    pub(crate) fn link(self, to: impl Into<String>, text: impl Into<String>) -> Self {
        let to = to.into();
        // Browsers read `//host` and `/\host` as other hosts.
        let is_here = to.starts_with('#') || (to.starts_with('/') && !to[1..].starts_with(['/', '\\']));
        match address(&to).filter(|_| is_here) {
            Some(to) => self.with(Part::Link(to, text.into())),
            None => self.with(Part::Name(text.into())),
        }
    }

    pub(crate) fn and(mut self, other: Self) -> Self {
        self.parts.extend(other.parts);
        self
    }

    pub(crate) fn text(&self) -> String {
        let text = |part: &Part| match part {
            Part::Plain(text) | Part::Strong(text) | Part::Name(text) => text.clone(),
            Part::Link(_, text) | Part::Faint(text) | Part::Mark(_, text) => text.clone(),
        };
        self.parts.iter().map(text).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether to keep a name on one line; longer ones would not fit a phone.
    fn is_short(&self, name: &str) -> bool {
        const MOST: usize = 24;
        name.chars().nth(MOST).is_none()
    }

    fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}

pub(crate) fn joined(parts: Vec<Words>, between: &str) -> Words {
    parts.into_iter().fold(Words::new(), |all, part| {
        let all = if all.is_empty() { all } else { all.plain(between) };
        all.and(part)
    })
}

/// Keeps numbers and their units on one line.
fn tied(text: &str) -> String {
    const UNITS: [&str; 9] = ["%", "ns", "µs", "ms", "s", "B", "kB", "MB", "GB"];
    let mut out = String::with_capacity(text.len());
    let mut after_digit = false;
    for (at, c) in text.char_indices() {
        let is_unit = || {
            let rest = &text[at + 1..];
            let word = rest.split(|c: char| !(c.is_alphabetic() || c == '%')).next().unwrap_or_default();
            UNITS.contains(&word)
        };
        out.push(if c == ' ' && after_digit && is_unit() { '\u{a0}' } else { c });
        after_digit = c.is_ascii_digit();
    }
    out
}

impl<T: Into<String>> From<T> for Words {
    fn from(text: T) -> Self {
        Self::new().plain(text)
    }
}

#[cfg(test)]
mod tests;
