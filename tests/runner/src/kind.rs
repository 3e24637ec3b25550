//! The principal type is [`Kind`]: whether a test program may have others beside it.

/// How a test program's source says that it measures, and what.
const MARK: &str = "//! Measures: ";

/// Whether a test program may have others beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Its figures are of times or of shares, and its neighbours would change them. It runs alone.
    Measures,
    /// What it asserts is so whatever else the machine does.
    Independent,
}

// === impl Kind ===

impl Kind {
    /// By the documentation at the beginning of its source.
    pub(crate) fn of(source: &str) -> Self {
        let mut head = source.lines().take_while(|line| line.starts_with("//!"));
        if head.any(|line| line.starts_with(MARK)) { Self::Measures } else { Self::Independent }
    }
}

#[cfg(test)]
mod tests;
