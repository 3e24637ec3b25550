//! The principal type is [`BodyText`]: a text to look for in bodies.

use std::fmt;

use memchr::memmem;

/// A text to look for in bodies as sent: a compressed body is not unpacked.
#[derive(Clone, Debug)]
pub struct BodyText(memmem::Finder<'static>);

pub(crate) struct Look<'a> {
    finder: &'a memmem::Finder<'static>,
    tail: Vec<u8>,
    found: bool,
}

// === impl BodyText ===

impl BodyText {
    /// Looks for this text.
    pub fn new(text: &str) -> Self {
        Self(memmem::Finder::new(text.as_bytes()).into_owned())
    }

    /// Looks for these bytes.
    pub fn of_bytes(text: &[u8]) -> Self {
        Self(memmem::Finder::new(text).into_owned())
    }

    /// The text it looks for.
    pub fn text(&self) -> &[u8] {
        self.0.needle()
    }

    pub(crate) fn look(&self) -> Look<'_> {
        Look { finder: &self.0, tail: Vec::new(), found: self.0.needle().is_empty() }
    }
}

impl PartialEq for BodyText {
    fn eq(&self, other: &Self) -> bool {
        self.0.needle() == other.0.needle()
    }
}

impl Eq for BodyText {}

impl fmt::Display for BodyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one that holds {:?}", String::from_utf8_lossy(self.0.needle()))
    }
}

impl Look<'_> {
    pub(crate) fn through(&mut self, piece: &[u8]) {
        if self.found {
            return;
        }
        let overlap = self.finder.needle().len() - 1;
        // The text may begin in the last piece and end in this one.
        self.tail.extend_from_slice(&piece[..piece.len().min(overlap)]);
        self.found = self.finder.find(&self.tail).is_some() || self.finder.find(piece).is_some();
        if piece.len() >= overlap {
            self.tail.clear();
            self.tail.extend_from_slice(&piece[piece.len() - overlap..]);
        } else {
            let start = self.tail.len().saturating_sub(overlap);
            self.tail.drain(..start);
        }
    }

    pub(crate) fn found(&self) -> bool {
        self.found
    }
}

#[cfg(test)]
mod tests;
