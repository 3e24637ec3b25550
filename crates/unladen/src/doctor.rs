//! What works on this machine and what does not. The principal type is [`check::Check`]; [`CHECKS`] lists all checks,
//! and [`examine`] runs them. Nothing is changed or left behind.

mod asked;
mod bounded;
mod check;
mod checked;
mod checks;
mod document;
mod row;
mod shell;
mod text;

use unladen_load::Request;

pub(crate) use checked::worst;
pub(crate) use document::document;
pub(crate) use row::Verdict;
pub(crate) use text::text;

use asked::Asked;
use checked::Checked;
use checks::CHECKS;

/// Runs all checks of this machine; those of a page only if one is given.
pub(crate) fn examine(page: Option<Request>) -> Vec<Checked> {
    bounded::run(CHECKS, Asked::of_this_machine(page))
}

#[cfg(test)]
mod tests;
