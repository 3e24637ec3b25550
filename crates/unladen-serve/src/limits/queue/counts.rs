//! The principal type is [`Counts`]: what has become of those who had to wait.

use std::time::Duration;

use unladen_observability::HistogramTotals;

use super::refusal::Why;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// By [`Why`].
    refused: [u64; 3],
    pub(super) left: u64,
    pub(super) waited: HistogramTotals,
}

impl Counts {
    pub(super) fn waited(&mut self, after: Duration) {
        self.waited.record(after);
    }

    pub(super) fn refused(&mut self, why: Why) {
        self.refused[why as usize] += 1;
    }

    pub(super) fn refusals(&self) -> u64 {
        self.refused.iter().sum()
    }

    pub(super) fn by_reason(&self) -> [(&'static str, u64); 3] {
        Why::ALL.map(|why| (why.reason().as_str(), self.refused[why as usize]))
    }
}
