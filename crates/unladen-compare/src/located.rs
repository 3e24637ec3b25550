//! The principal type is [`Located`]: a change of a series, with its place and size.

use crate::between::{Between, level};
use crate::figure::Span;
use crate::measured::margin;
use crate::point::Point;
use crate::split::{FEWEST, segments};

/// How much worse a place may fit, in units of the variance, and still be in the 95 % set of places for the true one
/// (Siegmund 1988, *Adv. Appl. Probab.* 20:53: the likelihood ratio of a change's place; P = (1 − e^(−x/2))²).
const PLACE: f64 = 7.35;

/// Maximum passes in which changes are placed again while one of them moves.
const MOST_PASSES: usize = 5;

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
