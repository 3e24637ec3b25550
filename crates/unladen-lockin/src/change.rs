//! The principal type is [`Change`]: the verdict on a comparison.

use crate::contrast::Contrast;
use crate::discovery::FALSE_DISCOVERY_RATE;
use crate::statistic::Measure;

/// The noise floor of an experiment, from its baseline against the baseline again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// For two equal arms: half the width of the interval or their difference, whichever is more.
    value: f64,
    terms: f64,
}

/// Two figures whose ratio lies in 1 ± this are the same for an operator: the *margin* of equality. It is half of what
/// people notice of a duration (a tenth, Grondin 2010, *Atten. Percept. Psychophys.* 72:561), no more than the effect
/// of memory layout alone on a program (Mytkowicz et al. 2009, *ASPLOS*; Curtsinger & Berger 2013, *ASPLOS*), and wide
/// enough to be reached by minutes of measuring. See docs/concepts/comparing.md.
pub const MARGIN: f64 = 0.05;

/// The margin of a share of requests, as a share of all: 2 points are one request in fifty.
pub const MARGIN_OF_SHARES: f64 = 0.02;

/// The margin of a group's weight may also be this share of a counter's total: no page feels it.
pub const MARGIN_OF_THE_WHOLE: f64 = 0.01;

/// The verdict on a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Latencies are shorter, or more requests are within a limit.
    Faster,
    /// Latencies are longer, or fewer requests are within a limit.
    Slower,
    Less,
    More,
    /// The whole interval lies within a margin that makes no difference.
    NoMeasurableDifference,
    /// The interval is too wide to say; more blocks decide it.
    Unclear,
}

impl Floor {
    /// From the baseline again against the baseline, with the same statistic and scale as the effects to judge.
    pub fn of(same_against_same: &Contrast) -> Self {
        let value = same_against_same.half_width().max(same_against_same.change().abs());
        Self { value, terms: same_against_same.terms }
    }

    /// The floor of an effect: a share of the baseline for a ratio, else in the unit of the difference.
    ///
    /// It scales with the square root of [`Contrast::terms`], such as 1.5 / 2 for one arm against two pooled ones.
    pub fn for_effect(&self, effect: &Contrast) -> f64 {
        self.value * (effect.terms / self.terms).sqrt()
    }
}

/// Classifies an effect as the first of these that applies.
///
/// - A *change*: its interval excludes no change, it is larger than the floor, and its p-value *after* control of false
///   discoveries over all metrics of the experiment (see [`adjust_comparisons`](crate::adjust_comparisons)) is at most
///   5 %.
/// - *No measurable difference*: its whole interval lies within ± `margin`, in the unit of the effect (a share for a
///   ratio), and so does the floor. That is the test of equivalence by two one-sided tests (Schuirmann 1987, *J.
///   Pharmacokinet. Biopharm.* 15:657), each at 2.5 %: a true difference above the margin is called equal in at most
///   2.5 % of experiments, however many blocks they have. With a floor above the margin, the experiment differs from
///   itself by more than that, whatever its interval says.
/// - *Unclear*: anything else. More blocks decide it, see [`time_to_settle`](crate::time_to_settle).
pub fn judge(effect: &Contrast, floor: &Floor, adjusted_p: f64, margin: f64) -> Change {
    let (size, floor) = (effect.change().abs(), floor.for_effect(effect));
    if !(effect.excludes_no_change() && size > floor && adjusted_p <= FALSE_DISCOVERY_RATE) {
        let is_equal = effect.is_within(margin) && floor <= margin;
        return if is_equal { Change::NoMeasurableDifference } else { Change::Unclear };
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
            Self::Unclear => "unclear",
        }
    }

    /// Whether it is a change for certain.
    pub fn is_told(self) -> bool {
        !matches!(self, Self::NoMeasurableDifference | Self::Unclear)
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
