//! [`ratio`] and [`mean_ratio`]: the estimates of Σ numerators / Σ denominators from blocks, with their intervals.
//!
//! For a candidate ratio w, each block leaves a residual nᵢ − w·dᵢ, which is symmetric about zero if w is right.
//! Wilcoxon's statistic asks of every pair of blocks whether its two residuals sum to more than zero, that is, whether
//! w < (nᵢ+nⱼ)/(dᵢ+dⱼ). So sorting those ratios of sums over all pairs inverts the test for all w at once: their median
//! is the estimate (Hodges & Lehmann 1963), and cutting off the tails that the test rejects leaves the interval, exact
//! for any number of blocks from six on. A burst in one block moves only that block's pairs: up to 29 % of the blocks
//! can be arbitrarily wrong before the estimate breaks.

use crate::estimate::{Estimate, MIN_BLOCKS, TooFew};
use crate::signed_rank::SignedRank;
use crate::student;

/// More blocks are first summed in groups: pairs grow with the square, and 256 groups differ by less than a percent.
const MAX_BLOCKS: usize = 256;

/// Estimates Σ `numerators` / Σ `denominators`, one of each a block.
///
/// Pairs of blocks whose denominators do not sum to more than zero (no requests) are left out, as are single such
/// blocks. Fails if fewer than [`MIN_BLOCKS`] blocks have a positive denominator.
pub fn ratio(numerators: &[f64], denominators: &[f64]) -> Result<Estimate, TooFew> {
    let usable = usable(numerators, denominators)?;
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
    let means = pairwise_ratios(&grouped);
    let above_zero = means.iter().filter(|mean| **mean > 0.0).count() as f64;
    let ties = means.iter().filter(|mean| **mean == 0.0).count() as f64;
    let w = above_zero + 0.5 * ties;
    SignedRank::new(grouped.len()).p_value(w)
}

/// The blocks of a positive denominator.
fn usable(numerators: &[f64], denominators: &[f64]) -> Result<Vec<(f64, f64)>, TooFew> {
    let usable: Vec<(f64, f64)> =
        numerators.iter().copied().zip(denominators.iter().copied()).filter(|&(_, d)| d > 0.0).collect();
    if usable.len() < MIN_BLOCKS { Err(TooFew { blocks: usable.len() }) } else { Ok(usable) }
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

/// Below this the skewness changes the interval by less than rounding does.
const NO_SKEWNESS: f64 = 1e-6;

/// [`ratio`] with an interval for skewed blocks, if only requests move the counter. Fails as it does.
///
/// A page that does housekeeping in one request of a hundred has blocks with skewed sums, and what counts for its
/// server is their mean, for which the usual interval (Student's t) lies too low. Hall (1992, *J. R. Stat. Soc. B*
/// 54:221) transforms t by a cubic in the sample's skewness that can be inverted in closed form, which moves the
/// interval.
pub(crate) fn mean_ratio(numerators: &[f64], denominators: &[f64]) -> Result<Estimate, TooFew> {
    let usable = usable(numerators, denominators)?;
    let blocks = usable.len();
    let n = blocks as f64;
    let (numerator, denominator) = usable.iter().fold((0.0, 0.0), |(n, d), (a, b)| (n + a, d + b));
    let mean = numerator / denominator;
    // A ratio's error is that of its residuals' mean, to first order (Cochran 1977, *Sampling Techniques*, ch. 6).
    let residuals: Vec<f64> = usable.iter().map(|(a, b)| a - mean * b).collect();
    let moment = |power: i32| residuals.iter().map(|residual| residual.powi(power)).sum::<f64>() / n;
    let sd = moment(2).sqrt();
    let skewness = if sd > 0.0 { moment(3) / sd.powi(3) } else { 0.0 };
    let standard_error = sd * (n / (n - 1.0)).sqrt() / n.sqrt() / (denominator / n);
    let t = student::expanded(n - 1.0);
    let (low, high) = (hall(t, skewness, n), hall(-t, skewness, n));
    Ok(Estimate { value: mean, low: mean - low * standard_error, high: mean - high * standard_error, mean, blocks })
}

/// The value of Student's t whose transform by Hall's cubic is `x`, for a sample of `n` with this skewness.
pub(crate) fn hall(x: f64, skewness: f64, n: f64) -> f64 {
    if skewness.abs() < NO_SKEWNESS {
        return x;
    }
    let per_root = skewness / n.sqrt();
    3.0 / per_root * ((1.0 + per_root * (x - per_root / 6.0)).cbrt() - 1.0)
}

#[cfg(test)]
mod tests;
