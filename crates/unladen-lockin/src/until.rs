//! The principal type is [`Until`]: when a run may stop early.

use crate::estimate::Estimate;

/// Stops when the interval of a weight is narrow enough.
///
/// Looking after every block and stopping at the first narrow interval would favour intervals that are narrow by
/// chance. Two things keep the coverage: a least number of blocks, and the interval has to be narrow at
/// [`LOOKS`](Self::LOOKS) looks in a row. The simulation for `docs/reference/accuracy.md` shows the remaining coverage.
#[derive(Debug, Clone)]
pub struct Until {
    target: f64,
    narrow_in_a_row: usize,
}

/// The result of [`Until::look`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    GoOn,
    Stop,
}

impl Until {
    /// No run stops before this many blocks.
    pub const MIN_BLOCKS: usize = 10;
    /// Consecutive looks that have to find the interval narrow.
    pub const LOOKS: usize = 3;

    /// `target`: half the interval's width as a share of the estimate, such as 0.02.
    pub fn new(target: f64) -> Self {
        Self { target, narrow_in_a_row: 0 }
    }

    /// The target.
    pub fn target(&self) -> f64 {
        self.target
    }

    /// Looks at the estimate after one more block.
    pub fn look(&mut self, estimate: &Estimate) -> Verdict {
        let narrow = estimate.blocks >= Self::MIN_BLOCKS && estimate.relative_half_width() <= self.target;
        self.narrow_in_a_row = if narrow { self.narrow_in_a_row + 1 } else { 0 };
        if self.narrow_in_a_row >= Self::LOOKS { Verdict::Stop } else { Verdict::GoOn }
    }
}

#[cfg(test)]
mod tests;
