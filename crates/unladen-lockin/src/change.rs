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
    /// Nothing that this experiment could have told from chance.
    NoMeasurableDifference,
}

impl Floor {
    /// From the baseline again against the baseline, of the same statistic and scale as what is judged by it.
    pub fn of(same_against_same: &Contrast) -> Self {
        let value = same_against_same.half_width().max(same_against_same.change().abs());
        Self { value, terms: same_against_same.terms }
    }

    /// The floor of an effect: a share of the baseline for a ratio, else in the unit of the difference.
    ///
    /// One arm against two that are pooled varies less than one against one; the floor shrinks with it, by the square root
    /// of 1.5 / 2. A contrast of more terms has a higher one.
    pub fn for_effect(&self, effect: &Contrast) -> f64 {
        self.value * (effect.terms / self.terms).sqrt()
    }
}

/// Says whether an effect is a change: its interval excludes no change, it is larger than the floor, and its p-value *after*
/// control of false discoveries over all metrics of the experiment (see [`adjust_comparisons`](crate::adjust_comparisons))
/// is at most 5 %.
pub fn judge(effect: &Contrast, floor: &Floor, adjusted_p: f64) -> Change {
    let is_change = effect.excludes_no_change()
        && effect.change().abs() > floor.for_effect(effect)
        && adjusted_p <= FALSE_DISCOVERY_RATE;
    if !is_change {
        return Change::NoMeasurableDifference;
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
        }
    }

    /// Whether there is one.
    pub fn is_measurable(self) -> bool {
        self != Self::NoMeasurableDifference
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
