//! The principal type is [`Kind`]: whether a test program may have others beside it.

use crate::mark::Mark;

/// Whether a test program may have others beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Its figures are of times or of shares, and its neighbours would change them. It runs alone.
    Measures,
    /// What it asserts is so whatever else the machine does.
    Independent,
}

impl Kind {
    /// By the documentation at the beginning of its source.
    pub(crate) fn of(source: &str) -> Self {
        if Mark::Measures.is_in(source) { Self::Measures } else { Self::Independent }
    }
}

#[cfg(test)]
mod tests;
