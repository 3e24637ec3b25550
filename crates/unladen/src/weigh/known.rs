//! The principal type is [`Known`].

use std::time::Duration;

/// What is known before the first phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Known {
    /// Median latency of the warm-up, of the slowest URL.
    pub(crate) latency: Duration,
    /// CPU time of a reading.
    pub(crate) read: Duration,
    /// URLs.
    pub(crate) urls: usize,
}
