//! The principal type is [`Split`]: the stretch of a series that differs most from the rest of it.
//!
//! This is one step of circular binary segmentation (Olshen et al. 2004, *Biostatistics* 5:557): a stretch in the
//! middle against both ends together, or at one end against the rest. It also finds a change that was reverted, which a
//! search for one change at a time often does not.

use unladen_lockin::t_p_value;

use crate::between::Between;
use crate::point::Point;

/// Minimum runs of a stretch: a single run may have had a bad day.
pub(crate) const FEWEST: usize = 2;

/// Minimum runs to look for a change in.
pub(crate) const FEWEST_RUNS: usize = 6;

/// Numbers of runs for which stretches in the middle are considered. With fewer, other orders of the runs, of eight for
/// instance, look like two levels too often by chance; with more, the number of stretches grows with the square.
const CIRCULAR: std::ops::RangeInclusive<usize> = 12..=100;

/// Below this share of the level, a spread is rounding.
const ROUNDING: f64 = 1e-9;

/// A stretch of a series against the rest of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Split {
    /// First position.
    pub(crate) from: usize,
    /// One after the last position.
    pub(crate) to: usize,
    /// p-value of Student's t for this split, as if it had been the only one considered.
    pub(crate) p: f64,
}

/// Points with their weights.
#[derive(Debug, Clone)]
pub(crate) struct Weighted {
    pub(crate) y: Vec<f64>,
    pub(crate) weight: Vec<f64>,
}

impl Weighted {
    /// Each point is weighted by its own error and the variation between runs.
    pub(crate) fn of(points: &[Point]) -> Self {
        let between = Between::of(&[points]).map_or(0.0, |between| between.variance);
        let weight = |point: &Point| 1.0 / (point.variance + between).max(1e-30);
        let largest = points.iter().map(weight).fold(0.0, f64::max);
        Self {
            y: points.iter().map(|point| point.y).collect(),
            weight: points.iter().map(|point| weight(point) / largest).collect(),
        }
    }

    /// The split with the smallest p-value, for the points in this order.
    pub(crate) fn best_split(&self, order: &[usize]) -> Option<Split> {
        let n = order.len();
        if n < FEWEST_RUNS.max(2 * FEWEST) {
            return None;
        }
        let (mut weights, mut sums) = (Vec::with_capacity(n + 1), Vec::with_capacity(n + 1));
        // Relative to the first point, to lose little by cancellation.
        let origin = self.y[order[0]];
        let (mut weight, mut sum, mut squares) = (0.0, 0.0, 0.0);
        weights.push(0.0);
        sums.push(0.0);
        for &index in order {
            let y = self.y[index] - origin;
            weight += self.weight[index];
            sum += self.weight[index] * y;
            squares += self.weight[index] * y * y;
            weights.push(weight);
            sums.push(sum);
        }
        let total = (squares - sum * sum / weight).max(0.0);
        if total <= (ROUNDING * origin.abs().max(1e-300)).powi(2) * weight {
            return None;
        }
        let between = |from: usize, to: usize| {
            let inside = weights[to] - weights[from];
            let outside = weight - inside;
            let sum_inside = sums[to] - sums[from];
            let difference = sum_inside / inside - (sum - sum_inside) / outside;
            difference * difference * inside * outside / weight
        };
        let mut best = (0, 0, 0.0);
        let mut consider = |from: usize, to: usize| {
            let explained = between(from, to);
            if explained > best.2 {
                best = (from, to, explained);
            }
        };
        for at in FEWEST..=n - FEWEST {
            consider(at, n);
        }
        if CIRCULAR.contains(&n) {
            for from in FEWEST..n.saturating_sub(2 * FEWEST - 1) {
                for to in from + FEWEST..=n - FEWEST {
                    consider(from, to);
                }
            }
        }
        let (from, to, explained) = best;
        let degrees = n as f64 - 2.0;
        let left = (total - explained).max(total * 1e-15);
        let t = (explained / (left / degrees)).sqrt();
        (explained > 0.0).then(|| Split { from, to, p: t_p_value(t, degrees) })
    }
}

/// Number of splits of `n` points considered.
fn candidates(n: usize) -> f64 {
    let ends = (n + 1).saturating_sub(2 * FEWEST) as f64;
    let middle = n.saturating_sub(3 * FEWEST) as f64;
    if CIRCULAR.contains(&n) { ends + (middle + 1.0) * (middle + 2.0) / 2.0 } else { ends }
}

/// Places where the level almost certainly changed, by Bonferroni's bound, which estimates of the variation between
/// runs leave out.
pub(crate) fn clear_changes(points: &[Point]) -> Vec<usize> {
    const LEVEL: f64 = 0.01;
    let mut changes = Vec::new();
    let mut open = vec![(0, points.len())];
    while let Some((from, to)) = open.pop() {
        let weighted = Weighted::of(&points[from..to]);
        let order: Vec<usize> = (0..to - from).collect();
        let Some(split) = weighted.best_split(&order) else { continue };
        if split.p * candidates(to - from) > LEVEL {
            continue;
        }
        let inner = [from, from + split.from, from + split.to, to];
        for pair in inner.windows(2) {
            if pair[0] < pair[1] {
                open.push((pair[0], pair[1]));
            }
        }
        changes.extend(inner[1..3].iter().copied().filter(|&at| at > from && at < to));
    }
    changes.sort_unstable();
    changes.dedup();
    changes
}

/// The stretches between changes.
pub(crate) fn segments<'a, T>(points: &'a [T], changes: &[usize]) -> Vec<&'a [T]> {
    let ends = changes.iter().copied().chain([points.len()]);
    let starts = [0].into_iter().chain(changes.iter().copied());
    starts.zip(ends).map(|(from, to)| &points[from..to]).collect()
}

#[cfg(test)]
mod tests;
