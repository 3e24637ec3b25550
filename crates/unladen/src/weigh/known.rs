//! The principal type is [`Known`].

use std::time::Duration;

use crate::weigh::source_kind::SourceKind;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known {
    /// Median latency of the warm-up, of the slowest URL.
    pub(crate) latency: Duration,
    /// CPU time of a reading.
    pub(crate) read: Duration,
    /// Time for other hosts at each edge of phases; zero without them.
    pub(crate) edge: Duration,
    /// Least settle gap for other hosts; zero without them.
    pub(crate) settle: Duration,
    /// The slowest source at the edges of phases.
    pub(crate) edge_of: Option<String>,
    /// The source that needs the settle gap.
    pub(crate) settle_of: Option<(String, SourceKind)>,
    pub(crate) urls: usize,
}
