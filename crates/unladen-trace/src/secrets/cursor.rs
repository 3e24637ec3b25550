//! The principal type is [`Cursor`]: a place in a text, which only goes on.

/// A place in a text.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// What stands here.
    pub(super) fn letter(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// What stands before.
    pub(super) fn before(&self) -> Option<char> {
        self.text.get(..self.at)?.chars().next_back()
    }

    /// Goes on by so many bytes.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = self.text.len().min(self.at + bytes);
    }

    /// The same; gives what was passed.
    pub(super) fn take(&mut self, bytes: usize) -> &'a str {
        let rest = self.rest();
        let passed = rest.get(..bytes).unwrap_or(rest);
        self.at += passed.len();
        passed
    }

    /// Goes on as long as it holds.
    pub(super) fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let length = self.rest().find(|letter| !holds(letter)).unwrap_or(self.rest().len());
        self.take(length)
    }

    /// Bytes until the end of the line.
    pub(super) fn rest_of_line(&self) -> usize {
        self.rest().find('\n').unwrap_or(self.rest().len())
    }
}
