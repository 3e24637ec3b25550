//! The principal type is [`Cursor`]: a forward-only position in a text.

#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn letter(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn before(&self) -> Option<char> {
        self.text.get(..self.at)?.chars().next_back()
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.at = self.text.len().min(self.at + bytes);
    }

    pub(super) fn take(&mut self, bytes: usize) -> &'a str {
        let rest = self.rest();
        let passed = rest.get(..bytes).unwrap_or(rest);
        self.at += passed.len();
        passed
    }

    pub(super) fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let length = self.rest().find(|letter| !holds(letter)).unwrap_or(self.rest().len());
        self.take(length)
    }

    pub(super) fn rest_of_line(&self) -> usize {
        self.rest().find('\n').unwrap_or(self.rest().len())
    }
}
