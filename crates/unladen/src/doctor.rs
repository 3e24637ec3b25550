//! What works on this machine and what does not. The principal type is [`check::Check`]: one thing that is looked at; [`CHECKS`]
//! has all of them, and [`examine`] runs them. Nothing is changed, and nothing is left behind.

mod asked;
mod bounded;
mod check;
mod checks;
mod document;
mod row;
mod shell;
mod text;

use unladen_load::Request;

pub(crate) use document::document;
pub(crate) use row::Verdict;
pub(crate) use text::text;

use asked::Asked;
use checks::CHECKS;
use row::Row;

/// A check, and what it found.
pub(crate) struct Checked {
    /// The check's name.
    pub(crate) name: &'static str,
    rows: Vec<Row>,
}

/// Runs all checks of this machine; those of a page only if one is given.
pub(crate) fn examine(page: Option<Request>) -> Vec<Checked> {
    bounded::run(CHECKS, Asked::of_this_machine(page))
}

/// The gravest of all verdicts.
pub(crate) fn worst(checked: &[Checked]) -> Verdict {
    checked.iter().flat_map(|checked| &checked.rows).map(|row| row.verdict).max().unwrap_or(Verdict::Ok)
}

#[cfg(test)]
mod tests;
