//! The principal type is [`Checked`]: a check's name, and what it found.

use super::row::{Row, Verdict};

pub(crate) struct Checked {
    pub(crate) name: &'static str,
    pub(crate) rows: Vec<Row>,
}

pub(crate) fn worst(checked: &[Checked]) -> Verdict {
    checked.iter().flat_map(|checked| &checked.rows).map(|row| row.verdict).max().unwrap_or(Verdict::Ok)
}
