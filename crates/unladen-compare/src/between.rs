//! The principal type is [`Between`]: how much runs of the same thing vary beyond their own errors, and [`Prior`], what
//! is expected before earlier runs show it.
//!
//! The model is that of random effects: a run's figure is the series' level, plus an effect of the run (layout of
//! memory, order of compilation, other work of the machine), plus the run's own error, known from its interval. The
//! variance of the effect is estimated by the equation of Paule & Mandel (1982, *J. Res. Natl. Bur. Stand.* 87:377),
//! which assumes no shape of the distribution and compares well with all others (Veroniki et al. 2016, *Res. Synth.
//! Methods* 7:55).

use crate::key::Key;
use crate::row::Kind;

/// One run's figure on the scale of the comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) y: f64,
    /// Square of its standard error within the run.
    pub(crate) variance: f64,
}

/// Halvings in the search for the root: more than an `f64` has bits.
const HALVINGS: usize = 60;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Between {
    /// Variance of the runs' effects.
    pub(crate) variance: f64,
    /// Mean variance of the runs' own errors.
    pub(crate) within: f64,
    /// Degrees of freedom of the estimate of `variance + within`.
    pub(crate) degrees: f64,
    /// Number of runs in the estimate.
    pub(crate) runs: usize,
}

impl Between {
    /// Estimates over segments of runs between changes of the level. Each change that was searched for costs a degree
    /// of freedom besides that of the level.
    pub(crate) fn of(segments: &[&[Point]]) -> Option<Self> {
        Self::estimate(segments, segments.len().saturating_sub(1))
    }

    /// Estimates over groups of runs known to be of the same thing.
    pub(crate) fn within(groups: &[&[Point]]) -> Option<Self> {
        Self::estimate(groups, 0)
    }

    fn estimate(segments: &[&[Point]], looked_for: usize) -> Option<Self> {
        let points = || segments.iter().copied().flatten();
        let runs = points().count();
        let degrees = runs as f64 - segments.len() as f64 - looked_for as f64;
        if degrees < 1.0 {
            return None;
        }
        let within = points().map(|point| point.variance).sum::<f64>() / runs as f64;
        let expected = (runs - segments.len()) as f64;
        let spread = |between: f64| segments.iter().map(|segment| squares(segment, between)).sum::<f64>();
        // At this variance each square is below its share, whatever the runs' own errors are.
        let mut high = segments
            .iter()
            .flat_map(|segment| {
                let level = level(segment, 0.0);
                segment.iter().map(move |point| (point.y - level).powi(2))
            })
            .sum::<f64>()
            * 4.0;
        let mut low = 0.0;
        // Without own errors, the spread at 0 is infinite or zero.
        if high <= 0.0 || (within > 0.0 && spread(0.0) <= expected) {
            return Some(Self { variance: 0.0, within, degrees, runs });
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if spread(middle) > expected {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(Self { variance: high, within, degrees, runs })
    }
}

fn weight(point: &Point, between: f64) -> f64 {
    // An exact figure outweighs all others, and two exact figures weigh the same.
    1.0 / (point.variance + between).max(1e-30)
}

pub(crate) fn level(segment: &[Point], between: f64) -> f64 {
    let (sum, weights) = segment.iter().fold((0.0, 0.0), |(sum, weights), point| {
        let weight = weight(point, between);
        (sum + weight * point.y, weights + weight)
    });
    if weights > 0.0 { sum / weights } else { 0.0 }
}

fn squares(segment: &[Point], between: f64) -> f64 {
    let level = level(segment, between);
    segment.iter().map(|point| (point.y - level).powi(2) * weight(point, between)).sum()
}

/// Maximum number of runs that the prior counts for: with four degrees of freedom, a history of eight runs outweighs it
/// by two to one.
pub(crate) const PRIOR_DEGREES: f64 = 4.0;

/// Number of runs that the documented figure counts for beside the other counters of the same kind.
const DOCUMENTED_DEGREES: f64 = 1.0;

/// A history with a variance this many times that of the documented figure refutes it: its runs vary by more than twice
/// as much.
const REFUTED: f64 = 4.0;

/// What the variation of one series is drawn towards: an empirical Bayes estimate of a variance, as in Smyth (2004,
/// *Stat. Appl. Genet. Mol. Biol.* 3:3). All counters of a kind share what the machine does to a run, so they vary
/// alike; for the same reason they are no independent witnesses, and count for [`PRIOR_DEGREES`] however many they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Prior {
    variance: f64,
    /// Number of runs it counts for.
    degrees: f64,
    /// Variance of the documented figure alone.
    documented: f64,
}

/// The documented standard deviation between runs, as a share of the figure (shares of requests: as it is): an
/// assumption, on the safe side of what virtual machines show. docs/concepts/between-runs.md lists it.
pub(crate) fn documented(key: &Key) -> f64 {
    match key.kind {
        Kind::Weight if key.is_cpu() || key.is_of_the_scheduler() => 0.015,
        Kind::Weight | Kind::Count | Kind::Size => 0.005,
        Kind::Latency if key.is_tail() => 0.03,
        Kind::Latency | Kind::Rate => 0.02,
        Kind::Effect | Kind::Within => 0.01,
        Kind::Errors => 0.002,
        Kind::Function => 0.03,
    }
}

impl Prior {
    /// From a documented standard deviation alone.
    pub(crate) fn documented(deviation: f64) -> Self {
        let variance = deviation * deviation;
        Self { variance, degrees: PRIOR_DEGREES, documented: variance }
    }

    /// With the median of the series of the same kind, so that one wild counter does not widen all others. After two
    /// runs they show little, since they share what happened to these two.
    pub(crate) fn pooled(deviation: f64, alike: &[Between]) -> Self {
        let median = |mut values: Vec<f64>| {
            values.sort_unstable_by(f64::total_cmp);
            values.get(values.len() / 2).copied().unwrap_or(0.0)
        };
        let degrees = median(alike.iter().map(|between| between.degrees).collect());
        let variance = median(alike.iter().map(|between| between.variance).collect()) / median_of_chi_square(degrees);
        let documented = deviation * deviation;
        // A machine that refutes the documented figure by most of its series refutes it for each of them.
        let of_documented = if variance > REFUTED * documented && degrees > 0.0 { 0.0 } else { DOCUMENTED_DEGREES };
        let known = of_documented + degrees;
        let variance = (of_documented * documented + degrees * variance) / known;
        Self { variance, degrees: known.min(PRIOR_DEGREES), documented }
    }

    pub(crate) fn scaled(self, factor: f64) -> Self {
        let square = factor * factor;
        Self { variance: self.variance * square, documented: self.documented * square, ..self }
    }

    /// The variation of a series, given its own history.
    pub(crate) fn with(self, own: Option<Between>) -> Between {
        let Some(own) = own else {
            return Between { variance: self.variance, within: 0.0, degrees: self.degrees, runs: 0 };
        };
        let is_refuted = own.variance > REFUTED * self.documented;
        let of_prior = if is_refuted { DOCUMENTED_DEGREES } else { self.degrees };
        let degrees = of_prior + own.degrees;
        Between { variance: (of_prior * self.variance + own.degrees * own.variance) / degrees, degrees, ..own }
    }
}

/// Median, as a share of the mean, of a variance estimated with this many degrees of freedom: such estimates are
/// skewed, most of them too small (Wilson & Hilferty 1931, *Proc. Natl. Acad. Sci.* 17:684).
fn median_of_chi_square(degrees: f64) -> f64 {
    (1.0 - 2.0 / (9.0 * degrees.max(1.0))).powi(3)
}

#[cfg(test)]
mod tests;
