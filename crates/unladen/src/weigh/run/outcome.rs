//! The principal type is [`Outcome`]: what a run ends with.

use std::path::PathBuf;

use unladen_report::Weigh;
use unladen_trace::PageRecord;

use crate::exit::Failure;

/// A result, and why it is not the complete one that was asked for.
pub(crate) struct Outcome {
    pub(crate) result: Weigh,
    pub(crate) pages: Vec<PageRecord>,
    /// A request failed, after enough blocks for a result.
    pub(crate) failure: Option<Failure>,
    /// The programs that requests went through, each as its process sees it.
    pub(crate) executables: Vec<PathBuf>,
}
