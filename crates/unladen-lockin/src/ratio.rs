//! [`ratio`]: the estimate of Σ numerators / Σ denominators from blocks, with its interval.
//!
//! For a candidate ratio w, each block leaves a residual nᵢ − w·dᵢ, which is symmetric about zero if w is right.
//! Wilcoxon's statistic asks of every pair of blocks whether its two residuals sum to more than zero, that is, whether
//! w < (nᵢ+nⱼ)/(dᵢ+dⱼ). So sorting those ratios of sums over all pairs inverts the test for all w at once: their median
//! is the estimate (Hodges & Lehmann 1963), and cutting off the tails that the test rejects leaves the interval, exact
//! for any number of blocks from six on. A burst in one block moves only that block's pairs: up to 29 % of the blocks
//! can be arbitrarily wrong before the estimate breaks.

use crate::estimate::{Estimate, MIN_BLOCKS, TooFew};
use crate::signed_rank::SignedRank;

/// More blocks are first summed in groups: pairs grow with the square, and 256 groups differ by less than a percent.
const MAX_BLOCKS: usize = 256;

/// Estimates Σ `numerators` / Σ `denominators`, one of each a block.
///
/// Pairs of blocks whose denominators do not sum to more than zero (no requests) are left out, as are single such
/// blocks. Fails if fewer than [`MIN_BLOCKS`] blocks have a positive denominator.
pub fn ratio(numerators: &[f64], denominators: &[f64]) -> Result<Estimate, TooFew> {
    let usable: Vec<(f64, f64)> =
        numerators.iter().copied().zip(denominators.iter().copied()).filter(|&(_, d)| d > 0.0).collect();
    if usable.len() < MIN_BLOCKS {
        return Err(TooFew { blocks: usable.len() });
    }
    let blocks = usable.len();
    let grouped = sum_neighbours(&usable);
    let (n, d) = grouped.iter().fold((0.0, 0.0), |(n, d), (a, b)| (n + a, d + b));

    let mut pairwise = pairwise_ratios(&grouped);
    pairwise.sort_unstable_by(f64::total_cmp);
    let trim = SignedRank::new(grouped.len()).trim().ok_or(TooFew { blocks })?;
    let last = pairwise.len() - 1;
    Ok(Estimate {
        value: median_of_sorted(&pairwise),
        low: pairwise[trim],
        high: pairwise[last - trim],
        mean: n / d,
        blocks,
    })
}

/// The p-value of "the numerators are symmetric about zero", two-sided.
pub(crate) fn p_value_of_zero(numerators: &[f64]) -> f64 {
    let pairs: Vec<(f64, f64)> = numerators.iter().map(|n| (*n, 1.0)).collect();
    let grouped = sum_neighbours(&pairs);
    let w: f64 = pairwise_ratios(&grouped)
        .into_iter()
        .map(|mean| {
            if mean > 0.0 {
                1.0
            } else if mean == 0.0 {
                0.5
            } else {
                0.0
            }
        })
        .sum();
    SignedRank::new(grouped.len()).p_value(w)
}

fn pairwise_ratios(blocks: &[(f64, f64)]) -> Vec<f64> {
    let mut ratios = Vec::with_capacity(blocks.len() * (blocks.len() + 1) / 2);
    for (i, (n_i, d_i)) in blocks.iter().enumerate() {
        ratios.extend(blocks[i..].iter().map(|(n_j, d_j)| (n_i + n_j) / (d_i + d_j)));
    }
    ratios
}

fn sum_neighbours(blocks: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let group = blocks.len().div_ceil(MAX_BLOCKS).max(1);
    blocks.chunks(group).map(|chunk| chunk.iter().fold((0.0, 0.0), |(n, d), (a, b)| (n + a, d + b))).collect()
}

fn median_of_sorted(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

#[cfg(test)]
mod tests;
