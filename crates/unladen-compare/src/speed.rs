//! The principal type is [`Speed`]: how fast the machine was in the two runs.

use serde::Serialize;

use crate::figure::Span;

/// How fast the machine was in the two runs, by its reference work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Speed {
    /// By kind of work that both runs have.
    pub kinds: Vec<ReferenceRatio>,
    /// The time of the reference work after / before, over all kinds: above 1, the machine was slower. Null where the
    /// kinds disagree.
    pub ratio: Option<Span>,
    /// Where the kinds disagree: a sentence.
    pub disagreement: Option<String>,
}

/// One kind of reference work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReferenceRatio {
    /// `arithmetic`, `memory` or `syscalls`.
    pub name: String,
    /// Its time after / before.
    pub ratio: Span,
}
