//! The principal type is [`Effect`]: the difference of one metric between two runs, before the verdict.

use unladen_lockin::t_p_value;

use crate::between::{Between, Point};
use crate::measured::{MANY, margin};

/// Upper limit for an interval's degrees of freedom, as the model is an approximation.
const MOST_DEGREES: f64 = 12.0;

/// The same for a p-value. Effects of runs have heavier tails than a normal distribution, which change an interval of
/// 95 % little, but small p-values much; Student's t with few degrees of freedom has such tails too.
const MOST_DEGREES_OF_TAILS: f64 = 8.0;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Effect {
    /// After − before.
    pub(crate) value: f64,
    /// Lower end of the 95 % interval.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The largest difference that two runs of the same thing show.
    pub(crate) floor: f64,
    /// Whether most of its variance is the two runs' own, so that longer runs would help.
    pub(crate) is_imprecise: bool,
    /// Two-sided, for no difference, before control of false discoveries.
    pub(crate) p: f64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    pub(crate) between: Between,
    /// Further variance of the difference, left open by the reference work.
    pub(crate) open: f64,
    /// What the machine's own speed may have added to the difference: between nothing and this.
    pub(crate) speed: f64,
}

impl Effect {
    pub(crate) fn of(before: (Point, f64), after: (Point, f64), context: Context) -> Self {
        let Context { between, open, speed } = context;
        let value = after.0.y - before.0.y;
        let own = before.0.variance + after.0.variance;
        let variance = own + 2.0 * between.variance + open;
        let degrees = degrees(before, after, between, variance);
        let half = margin(degrees) * variance.sqrt();
        // The machine's part lies between 0 and `speed`, so the difference without it lies between these two.
        let (least, most) = (value - speed.max(0.0), value - speed.min(0.0));
        let from_nothing = if least > 0.0 { least } else { (-most).max(0.0) };
        let p = match variance.sqrt() {
            _ if from_nothing == 0.0 => 1.0,
            0.0 => 0.0,
            error => t_p_value(from_nothing / error, degrees.min(MOST_DEGREES_OF_TAILS)),
        };
        let is_imprecise = 2.0 * own > variance;
        Self { value, low: least - half, high: most + half, floor: half + speed.abs(), is_imprecise, p }
    }

    /// Whether all figures are numbers: those from elsewhere may be too large to square.
    pub(crate) fn is_finite(&self) -> bool {
        [self.value, self.low, self.high, self.floor, self.p].into_iter().all(f64::is_finite)
    }

    /// Whether "no difference" lies outside the interval.
    pub(crate) fn excludes_none(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Degrees of freedom of the difference's variance (Satterthwaite 1946): each run's own error is as certain as its
/// blocks make it, the variation between runs as certain as the earlier runs make it.
fn degrees(before: (Point, f64), after: (Point, f64), between: Between, variance: f64) -> f64 {
    let own = |(point, degrees): (Point, f64)| point.variance * point.variance / degrees.max(1.0);
    // The variation between runs is the rest of a sum after the runs' own errors, so it is as certain as the sum.
    let sum = between.variance + between.within;
    let uncertain = own(before) + own(after) + 4.0 * sum * sum / between.degrees.max(1.0);
    let degrees = if uncertain > 0.0 { variance * variance / uncertain } else { MANY };
    degrees.clamp(1.0, MOST_DEGREES).floor()
}

#[cfg(test)]
mod tests;
