//! The principal type is [`Estimate`]: a value and its 95 % interval.

/// The fewest blocks that carry a two-sided 95 % interval: with five, the most extreme of the 2⁵ sign patterns still
/// has probability 2/32 = 6.25 %.
pub const MIN_BLOCKS: usize = 6;

/// A figure and the 95 % interval *of the figure* (never the spread of the samples).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The median over pairs of blocks of the ratio of their sums (Hodges–Lehmann), or [`mean`](Self::mean) if only
    /// requests move the counter.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    pub high: f64,
    /// The plain ratio of sums over all blocks. If it lies outside the interval, a few blocks weigh far more than the
    /// rest: a burst of background, or rare costly requests.
    pub mean: f64,
    pub blocks: usize,
}

impl Estimate {
    /// Half of the interval's width: the number after a ±.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// The larger distance from the value to an end: the number after a ± that hides no asymmetry.
    pub fn margin(&self) -> f64 {
        (self.high - self.value).max(self.value - self.low)
    }

    /// [`half_width`](Self::half_width) as a share of the value; infinite for a value of zero.
    pub fn relative_half_width(&self) -> f64 {
        if self.value == 0.0 { f64::INFINITY } else { self.half_width() / self.value.abs() }
    }

    /// Whether the plain mean lies outside the interval, see [`mean`](Self::mean).
    pub fn is_skewed(&self) -> bool {
        self.mean < self.low || self.mean > self.high
    }

    /// The same estimate in another unit.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let (a, b) = (self.low * factor, self.high * factor);
        Self {
            value: self.value * factor,
            low: a.min(b),
            high: a.max(b),
            mean: self.mean * factor,
            blocks: self.blocks,
        }
    }
}

/// Too few usable blocks for a 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{blocks} block{} of phases are too few for a 95 % interval, {MIN_BLOCKS} are needed: measure longer",
    if *blocks == 1 { "" } else { "s" }
)]
pub struct TooFew {
    pub blocks: usize,
}

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
