//! [`time_needed`]: how long to measure for an interval of a given width; [`time_to_settle`]: for a verdict.

use std::time::Duration;

use crate::contrast::Contrast;
use crate::signed_rank::ALPHA;
use crate::student;

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
/// of `margin` (see [`judge`](crate::judge)).
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
