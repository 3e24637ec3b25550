//! The principal type is [`Moment`]: where in a counting something happened.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) phase: usize,
    /// Number of the request over all phases. The time between two requests belongs to the former.
    pub(super) request: u64,
}

/// A phase as it was run, into which events are sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    pub on: bool,
    /// CLOCK_MONOTONIC in ns.
    pub begin_ns: u64,
    pub end_ns: u64,
    /// When each request was sent, in order. In an off phase: when requests would have been sent, so that what other
    /// traffic repeats within such a time is known and drops out.
    pub sent_ns: Vec<u64>,
}

impl Window {
    /// An off phase, cut into stretches of a request's length.
    pub fn idle(begin_ns: u64, end_ns: u64, request_ns: u64) -> Self {
        let step = usize::try_from(request_ns.max(1)).unwrap_or(usize::MAX);
        Self { on: false, begin_ns, end_ns, sent_ns: (begin_ns..end_ns).step_by(step).collect() }
    }

    /// Mean time from one request to the next, ns.
    pub fn request_ns(&self) -> u64 {
        (self.end_ns.saturating_sub(self.begin_ns) / (self.sent_ns.len().max(1) as u64)).max(1)
    }

    /// The request under way, or the last one before.
    pub(super) fn request_at(&self, at_ns: u64) -> u64 {
        (self.sent_ns.partition_point(|sent| *sent <= at_ns).max(1) - 1) as u64
    }
}
