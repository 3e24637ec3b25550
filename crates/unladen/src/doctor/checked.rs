//! The principal type is [`Checked`]: a check's name, and what it found.

use super::row::{Row, Verdict};

pub(crate) struct Checked {
    pub(crate) name: &'static str,
    /// Empty if there is nothing to say.
    pub(crate) rows: Vec<Row>,
}

/// The gravest verdict.
pub(crate) fn worst(checked: &[Checked]) -> Verdict {
    checked.iter().flat_map(|checked| &checked.rows).map(|row| row.verdict).max().unwrap_or(Verdict::Ok)
}
