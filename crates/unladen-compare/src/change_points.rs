//! [`change_points`]: where series of runs changed, with false alarms under control over all of them.
//!
//! Each series is cut at the stretch that differs most from the rest of it ([`crate::split`]). Permutations decide
//! whether that is more than chance: runs of the same thing have no order, so any order is as likely as the observed
//! one, whatever the shape of their distribution. One permutation is applied to all series alike, as the metrics of a
//! run move together, and the smallest p-value over all series is compared with its own distribution (Westfall & Young
//! 1993, *Resampling-Based Multiple Testing*). The pieces are cut again until nothing more is found.

use fastrand::Rng;

use crate::point::Point;
use crate::split::{Split, Weighted};

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

#[cfg(test)]
mod tests;
