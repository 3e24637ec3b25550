//! The principal type is [`Known`].

use std::time::Duration;

/// What is known before the first phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Known {
    /// Median latency of the warm-up, of the slowest URL.
    pub(crate) latency: Duration,
    /// CPU time of a reading.
    pub(crate) read: Duration,
    /// What the way to other hosts takes at each edge of phases: nothing without them.
    pub(crate) edge: Duration,
    /// The least settle gap that another host takes: nothing without them.
    pub(crate) settle: Duration,
    /// URLs.
    pub(crate) urls: usize,
}
