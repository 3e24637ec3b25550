//! The principal type is [`Change`]: the verdict on a comparison, and how long to measure for one.

use std::time::Duration;

use crate::contrast::Contrast;
use crate::discovery::FALSE_DISCOVERY_RATE;
use crate::sample::Measure;
use crate::signed_rank::ALPHA;
use crate::student;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::Display)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Change {
    /// Latencies are shorter, or more requests are within a limit.
    Faster,
    /// Latencies are longer, or fewer requests are within a limit.
    Slower,
    Less,
    More,
    /// The whole interval lies within a margin that makes no difference.
    #[strum(serialize = "no measurable difference")]
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
/// - *Unclear*: anything else. More blocks decide it, see [`time_to_settle`].
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
    /// Whether it is a change for certain.
    pub fn is_told(self) -> bool {
        !matches!(self, Self::NoMeasurableDifference | Self::Unclear)
    }
}

/// Total duration of an experiment until `contrast`, which took `elapsed`, has a relative half width of `target` (0.01
/// for ±1 %). `None` if no time would do: the target is not above zero, or the contrast is a difference of zero.
///
/// The standard error shrinks with the root of the number of units, and Student's t with their degrees of freedom,
/// which matters if there are few. It is an estimate: the width of an interval is itself known to 1/√(2n) only.
///
/// ```
/// # use unladen_lockin::{Observations, Statistic, compare, time_needed};
/// # use std::time::Duration;
/// # let mut rng = fastrand::Rng::with_seed(1);
/// # let mut arms = [Observations::new(), Observations::new()];
/// # for _ in 0..50 { for arm in &mut arms { arm.push_block((0..50).map(|_| rng.u64(10_000..20_000))) } }
/// let ratio = compare(&arms[0], &arms[1], Statistic::Mean)?;
/// let half = ratio.relative_half_width() / 2.0;
/// let minutes = time_needed(&ratio, Duration::from_secs(60), half).unwrap().as_secs_f64() / 60.0;
/// assert!((3.8..4.1).contains(&minutes));
/// # Ok::<(), unladen_lockin::CannotCompare>(())
/// ```
pub fn time_needed(contrast: &Contrast, elapsed: Duration, target: f64) -> Option<Duration> {
    time_for(contrast, elapsed, target * contrast.value.abs())
}

/// Total duration of an experiment until its verdict on this contrast is no longer *unclear*, with a margin of equality
/// of `margin` (see [`judge`]).
///
/// An interval of half the margin to each side settles any effect: a larger effect is told from no change, and a
/// smaller one lies within the margin with all of its interval. An effect that seems larger is settled sooner if it is
/// as large as it seems: its interval is then planned at two thirds of it, which finds it in four of five experiments.
pub fn time_to_settle(contrast: &Contrast, elapsed: Duration, margin: f64) -> Option<Duration> {
    /// An effect of 1.5 half widths is above one half width in 83 % of experiments.
    const OF_THE_EFFECT: f64 = 1.0 / 1.5;

    time_for(contrast, elapsed, (margin / 2.0).max(contrast.change().abs() * OF_THE_EFFECT))
}

/// Until the half width is `target`, in the unit of the contrast.
fn time_for(contrast: &Contrast, elapsed: Duration, target: f64) -> Option<Duration> {
    /// More than anybody waits for.
    const MOST_TIMES: f64 = 1e9;

    let now = contrast.half_width();
    if target.is_nan() || target <= 0.0 || !now.is_finite() {
        return None;
    }
    let units = contrast.units as f64;
    let width = |n: f64| student::critical(ALPHA, n - 1.0) / n.sqrt();
    let wanted = width(units) * target / now;
    let fewest = 2.0_f64.min(units);
    let (mut few, mut enough) = (fewest, units.max(fewest));
    while width(enough) > wanted {
        few = enough;
        enough *= 2.0;
        if enough > units * MOST_TIMES {
            return None;
        }
    }
    while enough - few > 1e-3 * enough {
        let middle = f64::midpoint(few, enough);
        if width(middle) > wanted {
            few = middle;
        } else {
            enough = middle;
        }
    }
    Some(elapsed.mul_f64(enough / units))
}

#[cfg(test)]
mod tests;
