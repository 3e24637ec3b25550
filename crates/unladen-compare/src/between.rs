//! The principal type is [`Between`]: how much runs of the same thing vary beyond their own errors.
//!
//! The model is that of random effects: a run's figure is the series' level, plus an effect of the run (layout of
//! memory, order of compilation, other work of the machine), plus the run's own error, known from its interval. The
//! variance of the effect is estimated by the equation of Paule & Mandel (1982, *J. Res. Natl. Bur. Stand.* 87:377),
//! which assumes no shape of the distribution and compares well with all others (Veroniki et al. 2016, *Res. Synth.
//! Methods* 7:55).

use crate::point::Point;

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

#[cfg(test)]
mod tests;
