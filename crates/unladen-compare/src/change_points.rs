//! [`change_points`]: where series of runs changed, with false alarms under control over all of them.
//!
//! Each series is cut at the stretch that differs most from the rest of it ([`Split`]). Permutations decide
//! whether that is more than chance: runs of the same thing have no order, so any order is as likely as the observed
//! one, whatever the shape of their distribution. One permutation is applied to all series alike, as the metrics of a
//! run move together, and the smallest p-value over all series is compared with its own distribution (Westfall & Young
//! 1993, *Resampling-Based Multiple Testing*). The pieces are cut again until nothing more is found.

use fastrand::Rng;
use unladen_document::Span;
use unladen_lockin::t_p_value;

use crate::between::{Between, Point, level};
use crate::measured::margin;

/// Share of trends of runs of the same thing that show a change: below 5 %, with room for the permutations' own chance.
const FALSE_ALARMS: f64 = 0.035;

/// Maximum and minimum number of permutations.
const PERMUTATIONS: (usize, usize) = (999, 199);

/// Evaluations of stretches over all permutations, beyond which fewer permutations are made.
const MOST_LOOKS: usize = 200_000_000;

/// Fixed, so that the same runs have the same change points.
const SEED: u64 = 0x75_6e_6c_61_64_65_6e;

/// A part of a series still to be searched.
struct Part {
    series: usize,
    from: usize,
    to: usize,
    weighted: Weighted,
    found: Option<Split>,
}

/// For each series (positions of runs, and their points), the positions in it where a new level begins, in order, each
/// with its p-value over all series.
pub(crate) fn change_points(series: &[(&[usize], &[Point])]) -> Vec<Vec<(usize, f64)>> {
    let mut changes: Vec<Vec<(usize, f64)>> = vec![Vec::new(); series.len()];
    let mut rng = Rng::with_seed(SEED);
    let part = |of: usize, from: usize, to: usize| {
        let weighted = Weighted::of(&series[of].1[from..to]);
        let order: Vec<usize> = (0..to - from).collect();
        let found = weighted.best_split(&order);
        Part { series: of, from, to, weighted, found }
    };
    let mut open: Vec<Part> =
        (0..series.len()).filter(|&of| !series[of].1.is_empty()).map(|of| part(of, 0, series[of].1.len())).collect();
    loop {
        open.retain(|part| part.found.is_some());
        if open.is_empty() {
            break;
        }
        let least = by_chance(series, &open, &mut rng);
        let mut next = Vec::new();
        for this in &open {
            let Some(split) = this.found else { continue };
            let as_small = least.partition_point(|p| *p <= split.p);
            let p = (as_small + 1) as f64 / (least.len() + 1) as f64;
            if p > FALSE_ALARMS {
                continue;
            }
            let ends = [this.from, this.from + split.from, this.from + split.to, this.to];
            for pair in ends.windows(2).filter(|pair| pair[0] < pair[1]) {
                next.push(part(this.series, pair[0], pair[1]));
            }
            let inner = ends[1..3].iter().filter(|&&at| at > this.from && at < this.to);
            changes[this.series].extend(inner.map(|&at| (at, p)));
        }
        open = next;
    }
    for of in &mut changes {
        of.sort_unstable_by_key(|(at, _)| *at);
    }
    changes
}

/// The smallest p-value over all parts for each permutation, sorted.
fn by_chance(series: &[(&[usize], &[Point])], parts: &[Part], rng: &mut Rng) -> Vec<f64> {
    let runs = series.iter().flat_map(|(runs, _)| runs.iter()).max().map_or(0, |last| last + 1);
    let looks: usize = parts.iter().map(|part| (part.to - part.from).pow(2) / 2).sum();
    let permutations = (MOST_LOOKS / looks.max(1)).clamp(PERMUTATIONS.1, PERMUTATIONS.0);
    let mut orders: Vec<Vec<usize>> = parts.iter().map(|part| (0..part.to - part.from).collect()).collect();
    let mut least: Vec<f64> = (0..permutations)
        .map(|_| {
            let ranks: Vec<u64> = (0..runs).map(|_| rng.u64(..)).collect();
            parts
                .iter()
                .zip(&mut orders)
                .filter_map(|(part, order)| {
                    let of = &series[part.series].0[part.from..part.to];
                    order.sort_unstable_by_key(|&index| ranks[of[index]]);
                    part.weighted.best_split(order).map(|split| split.p)
                })
                .fold(1.0, f64::min)
        })
        .collect();
    least.sort_unstable_by(f64::total_cmp);
    least
}

/// Minimum runs of a stretch: a single run may have had a bad day.
pub(crate) const FEWEST: usize = 2;

/// Minimum runs to look for a change in.
pub(crate) const FEWEST_RUNS: usize = 6;

/// Numbers of runs for which stretches in the middle are considered. With fewer, other orders of the runs, of eight for
/// instance, look like two levels too often by chance; with more, the number of stretches grows with the square.
const CIRCULAR: std::ops::RangeInclusive<usize> = 12..=100;

/// Below this share of the level, a spread is rounding.
const ROUNDING: f64 = 1e-9;

/// The stretch of a series that differs most from the rest of it.
///
/// This is one step of circular binary segmentation (Olshen et al. 2004, *Biostatistics* 5:557): a stretch in the
/// middle against both ends together, or at one end against the rest. It also finds a change that was reverted, which a
/// search for one change at a time often does not.
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

/// How much worse a place may fit, in units of the variance, and still be in the 95 % set of places for the true one
/// (Siegmund 1988, *Adv. Appl. Probab.* 20:53: the likelihood ratio of a change's place; P = (1 − e^(−x/2))²).
const PLACE: f64 = 7.35;

/// Maximum passes in which changes are placed again while one of them moves.
const MOST_PASSES: usize = 5;

/// A change of a series, with its place and size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Located {
    /// First position of the new level.
    pub(crate) at: usize,
    pub(crate) earliest: usize,
    pub(crate) latest: usize,
    pub(crate) change: Span,
}

/// Moves changes to their best fit between their neighbours, and drops those that no longer separate two levels: a
/// search that cuts one stretch after another places its first cuts before it knows the others.
pub(crate) fn located(points: &[Point], changes: &[usize]) -> Vec<Located> {
    let mut at = changes.to_vec();
    let mut passes = 0;
    loop {
        let between = Between::of(&segments(points, &at));
        let variance = between.map_or(0.0, |between| between.variance);
        let before = at.clone();
        let mut all = Vec::new();
        for index in 0..at.len() {
            let from = if index > 0 { at[index - 1] } else { 0 };
            let to = at.get(index + 1).copied().unwrap_or(points.len());
            let (best, earliest, latest) = place(&points[from..to], at[index] - from, variance);
            at[index] = from + best;
            let change = change(&points[from..from + best], &points[from + best..to], between);
            all.push(Located { at: from + best, earliest: from + earliest, latest: from + latest, change });
        }
        // A badly placed change looked like variation between runs: look again without it.
        passes += 1;
        if at != before && passes < MOST_PASSES {
            continue;
        }
        passes = 0;
        let is_none = |located: &Located| located.change.low <= 0.0 && located.change.high >= 0.0;
        // The least certain one first: without it, its neighbours may become certain.
        let size =
            |located: &Located| located.change.value.abs() / (located.change.high - located.change.low).max(1e-300);
        let least = all
            .iter()
            .enumerate()
            .filter(|(_, located)| is_none(located))
            .min_by(|a, b| size(a.1).total_cmp(&size(b.1)));
        let Some((index, _)) = least else { return all };
        at.remove(index);
    }
}

/// The best place, and the first and last of those that fit nearly as well.
fn place(points: &[Point], found: usize, between: f64) -> (usize, usize, usize) {
    let squares = |segment: &[Point]| {
        let level = level(segment, between);
        segment.iter().map(|point| (point.y - level).powi(2) / (point.variance + between).max(1e-30)).sum::<f64>()
    };
    let fits: Vec<(usize, f64)> = (FEWEST..(points.len() + 1).saturating_sub(FEWEST))
        .map(|at| (at, squares(&points[..at]) + squares(&points[at..])))
        .collect();
    let Some(&(best, least)) = fits.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else { return (found, found, found) };
    let mut near = fits.iter().filter(|(_, fit)| *fit <= least + PLACE).map(|(at, _)| *at);
    let earliest = near.next().unwrap_or(best);
    (best, earliest, near.next_back().unwrap_or(earliest).max(best))
}

/// The difference between the levels of two stretches.
pub(crate) fn change(before: &[Point], after: &[Point], between: Option<Between>) -> Span {
    let (variance, degrees) = between.map_or((0.0, 1.0), |between| (between.variance, between.degrees));
    let of = |segment: &[Point]| {
        let weights: f64 = segment.iter().map(|point| 1.0 / (point.variance + variance).max(1e-30)).sum();
        (level(segment, variance), 1.0 / weights)
    };
    let ((before, error_before), (after, error_after)) = (of(before), of(after));
    let (value, half) = (after - before, margin(degrees) * (error_before + error_after).sqrt());
    Span { value, low: value - half, high: value + half }
}

#[cfg(test)]
mod tests;
