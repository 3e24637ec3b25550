//! The principal type is [`Counts`]: what has become of those who had to wait.

use std::time::Duration;

use unladen_observability::HistogramTotals;

use super::refusal::Why;

/// What has become of those who had to wait.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// By [`Why`].
    refused: [u64; 3],
    /// Whose clients left before their turn came.
    pub(super) left: u64,
    /// How long those waited who were given a place.
    pub(super) waited: HistogramTotals,
}

impl Counts {
    /// One was given a place after this time.
    pub(super) fn waited(&mut self, after: Duration) {
        self.waited.record(after);
    }

    /// One is refused.
    pub(super) fn refused(&mut self, why: Why) {
        self.refused[why as usize] += 1;
    }

    /// How many were refused.
    pub(super) fn refusals(&self) -> u64 {
        self.refused.iter().sum()
    }

    /// How many were refused, by the words for it.
    pub(super) fn by_reason(&self) -> [(&'static str, u64); 3] {
        Why::ALL.map(|why| (why.reason().as_str(), self.refused[why as usize]))
    }
}
