//! [`outcome`]: what the proof of a fix says to do.

use unladen_document::ProveDocument;
use unladen_report::{Changed, Proof};

use crate::exit::Failure;

/// What to do with a fix, and why: half a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Keep(String),
    PutBack(String),
    /// The proof does not decide.
    Ask(String),
}

/// Keeps a fix if something on the request's path is certainly less and nothing is certainly more, but for the CPU that
/// compression takes. A page that is not the same, or fails, is put back.
pub(crate) fn outcome(proof: &ProveDocument) -> Result<Outcome, Failure> {
    let arm = proof.changed_arm().ok_or(Failure::NothingCompared)?;
    if arm.errors > 0 {
        return Ok(Outcome::PutBack(format!("{} requests failed with it", arm.errors)));
    }
    // As with `unladen prove`: another page, or a part of the answer that should have changed and has not.
    if let Some(doubt) = arm.answers.iter().flat_map(|answer| &answer.doubts).next() {
        return Ok(Outcome::PutBack(doubt.trim_end_matches('.').to_owned()));
    }
    let Proof { fewer, less, more, is_compressed, .. } = Proof::of(proof, arm);
    let said = |parts: Vec<Changed>| parts.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let (less, more) = (said(fewer.into_iter().chain(less).collect()), said(more));
    Ok(match (less.is_empty(), more.is_empty()) {
        (false, true) => Outcome::Keep(less),
        (true, false) => Outcome::PutBack(more),
        (false, false) if is_compressed => Outcome::Keep(format!("{less}; for that, {more}")),
        (false, false) => Outcome::Ask(format!("{less}; but {more}")),
        (true, true) => Outcome::Ask("unclear in this time (--prove TIME measures longer)".to_owned()),
    })
}

#[cfg(test)]
mod tests;
