//! The principal type is [`Mark`]: what a test program says of itself in the documentation at its beginning.

/// What a test program says of itself, each on a line of its own, with the reason behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Its figures are of times or of shares.
    Measures,
    /// It takes more than a minute.
    Long,
    /// Its tests wait nearly all of their time.
    Waits,
}

impl Mark {
    /// How the line begins.
    pub(crate) const fn line(self) -> &'static str {
        match self {
            Self::Measures => "//! Measures: ",
            Self::Long => "//! Long: ",
            Self::Waits => "//! Waits: ",
        }
    }

    /// Whether this source has it.
    pub(crate) fn is_in(self, source: &str) -> bool {
        source.lines().take_while(|line| line.starts_with("//!")).any(|line| line.starts_with(self.line()))
    }
}

#[cfg(test)]
mod tests;
