//! The principal type is [`Outcome`]: what a run ends with.

use std::path::PathBuf;

use unladen_finding::Finding;
use unladen_report::Weigh;
use unladen_trace::{Interval, PageRecord};

use crate::exit::Failure;

/// A result, and why it is not the complete one that was asked for.
pub(crate) struct Outcome {
    pub(crate) result: Weigh,
    pub(crate) pages: Vec<PageRecord>,
    /// Of each page, in the same order; empty if nobody looked inside.
    pub(crate) found: Vec<Found>,
    /// A request failed, after enough blocks for a result.
    pub(crate) failure: Option<Failure>,
    /// The programs that requests went through, each as its process sees it.
    pub(crate) executables: Vec<PathBuf>,
}

/// The rules' findings of a page.
pub(crate) struct Found {
    /// Mean latency without tracing, in ns.
    pub(crate) latency: Option<Interval>,
    pub(crate) warm: Vec<Finding>,
    /// Of first requests of fresh processes.
    pub(crate) fresh: Vec<Finding>,
}
