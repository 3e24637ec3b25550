//! The principal type is [`Checked`]: a check's name, and what it found.

use super::row::{Row, Verdict};

/// A check, and what it found.
pub(crate) struct Checked {
    /// The check's name.
    pub(crate) name: &'static str,
    /// Nothing is to be said where there are none.
    pub(crate) rows: Vec<Row>,
}

/// The gravest of all verdicts.
pub(crate) fn worst(checked: &[Checked]) -> Verdict {
    checked.iter().flat_map(|checked| &checked.rows).map(|row| row.verdict).max().unwrap_or(Verdict::Ok)
}
