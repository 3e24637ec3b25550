//! The principal type is [`Known`].

use std::time::Duration;

use crate::weigh::source_kind::SourceKind;

/// What is known before the first phase.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known {
    /// Median latency of the warm-up, of the slowest URL.
    pub(crate) latency: Duration,
    /// CPU time of a reading.
    pub(crate) read: Duration,
    /// What the way to other hosts takes at each edge of phases: nothing without them.
    pub(crate) edge: Duration,
    /// The least settle gap that another host takes: nothing without them.
    pub(crate) settle: Duration,
    /// Whom the answers at the edges of phases are waited for.
    pub(crate) edge_of: Option<String>,
    /// Whom the settle gap is for.
    pub(crate) settle_of: Option<(String, SourceKind)>,
    pub(crate) urls: usize,
}
