//! The principal type is [`Change`]: what is said of a comparison.

use crate::contrast::Contrast;
use crate::discovery::FALSE_DISCOVERY_RATE;
use crate::statistic::Measure;

/// What the experiment could not have told from nothing, by its baseline against the baseline again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Of two arms that are the same: half the width of the interval or what they differed by, whichever is more.
    value: f64,
    /// [`Contrast::terms`] of those.
    terms: f64,
}

/// The highest floor by which arms are called equal, as a share of what is compared: a run that would have missed an
/// effect of a tenth has not looked closely enough to say that there is none.
pub const FINE_ENOUGH: f64 = 0.1;

/// What is said of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Latencies are shorter, or more requests are within a limit.
    Faster,
    /// Latencies are longer, or fewer requests are within a limit.
    Slower,
    /// Less of a count.
    Less,
    /// More of a count.
    More,
    /// No more than what the baseline differs by from itself, and that is little.
    NoMeasurableDifference,
    /// Neither: more than the floor and not told from chance, or inside a floor so high that nearly anything is.
    TooFewBlocks,
}

impl Floor {
    /// From the baseline again against the baseline, of the same statistic and scale as what is judged by it.
    pub fn of(same_against_same: &Contrast) -> Self {
        let value = same_against_same.half_width().max(same_against_same.change().abs());
        Self { value, terms: same_against_same.terms }
    }

    /// The floor of an effect: a share of the baseline for a ratio, else in the unit of the difference.
    ///
    /// One arm against two that are pooled varies less than one against one; the floor shrinks with it, by the square
    /// root of 1.5 / 2. A contrast of more terms has a higher one.
    pub fn for_effect(&self, effect: &Contrast) -> f64 {
        self.value * (effect.terms / self.terms).sqrt()
    }
}

/// Says which of three an effect is.
///
/// - A *change*: its interval excludes no change, it is larger than the floor, and its p-value *after* control of false
///   discoveries over all metrics of the experiment (see [`adjust_comparisons`](crate::adjust_comparisons)) is at most
///   5 %.
/// - *No measurable difference*: it is at most the floor, and the floor is at most [`FINE_ENOUGH`] of `whole`. That is
///   the test of equivalence by two one-sided tests (Schuirmann 1987, *J. Pharmacokinet. Biopharm.* 15:657), whose
///   margin is the smallest effect that this experiment finds nearly for certain: one that is still above the floor
///   when it is estimated too low by the half width *h* of its interval, floor + h. The interval, effect ± h, lies
///   within ± (floor + h) exactly if the effect lies within the floor. (A margin of the floor alone could hardly be met
///   by any number of blocks: the floor *is* about as wide as the interval, and shrinks with it.)
/// - *Too few blocks*: anything else. More blocks would decide it.
///
/// `whole` is what the floor is held against: 1 for a ratio or a share, and for a difference what it is a difference
/// of.
pub fn judge(effect: &Contrast, floor: &Floor, adjusted_p: f64, whole: f64) -> Change {
    let (size, floor) = (effect.change().abs(), floor.for_effect(effect));
    if !(effect.excludes_no_change() && size > floor && adjusted_p <= FALSE_DISCOVERY_RATE) {
        let is_equal = size <= floor && floor <= FINE_ENOUGH * whole;
        return if is_equal { Change::NoMeasurableDifference } else { Change::TooFewBlocks };
    }
    match (effect.measure, effect.change() > 0.0) {
        (Measure::Latency, false) | (Measure::Share, true) => Change::Faster,
        (Measure::Latency, true) | (Measure::Share, false) => Change::Slower,
        (Measure::Count, false) => Change::Less,
        (Measure::Count, true) => Change::More,
    }
}

impl Change {
    /// The word for it, in reports and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Less => "less",
            Self::More => "more",
            Self::NoMeasurableDifference => "no measurable difference",
            Self::TooFewBlocks => "too few blocks",
        }
    }

    /// Whether there is one for certain.
    pub fn is_told(self) -> bool {
        !matches!(self, Self::NoMeasurableDifference | Self::TooFewBlocks)
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
