//! [`mean_ratio`]: Σ numerators / Σ denominators with an interval for skewed blocks, if only requests move the counter.
//!
//! A page that does housekeeping in one request of a hundred has blocks with skewed sums, and what counts for its
//! server is their mean, for which the usual interval (Student's t) lies too low. Hall (1992, *J. R. Stat. Soc. B*
//! 54:221) transforms t by a cubic in the sample's skewness that can be inverted in closed form, which moves the
//! interval.

use crate::estimate::{Estimate, MIN_BLOCKS, TooFew};

/// The standard normal distribution's 97.5 % point.
const Z: f64 = 1.959_964;

/// Below this the skewness changes the interval by less than rounding does.
const NO_SKEWNESS: f64 = 1e-6;

/// Estimates Σ `numerators` / Σ `denominators`, one of each a block. Fails with fewer than [`MIN_BLOCKS`] blocks of a
/// positive denominator; others are left out.
pub(crate) fn mean_ratio(numerators: &[f64], denominators: &[f64]) -> Result<Estimate, TooFew> {
    let usable: Vec<(f64, f64)> =
        numerators.iter().copied().zip(denominators.iter().copied()).filter(|&(_, d)| d > 0.0).collect();
    let blocks = usable.len();
    if blocks < MIN_BLOCKS {
        return Err(TooFew { blocks });
    }
    let n = blocks as f64;
    let (numerator, denominator) = usable.iter().fold((0.0, 0.0), |(n, d), (a, b)| (n + a, d + b));
    let mean = numerator / denominator;
    // A ratio's error is that of its residuals' mean, to first order (Cochran 1977, *Sampling Techniques*, ch. 6).
    let residuals: Vec<f64> = usable.iter().map(|(a, b)| a - mean * b).collect();
    let moment = |power: i32| residuals.iter().map(|residual| residual.powi(power)).sum::<f64>() / n;
    let sd = moment(2).sqrt();
    let skewness = if sd > 0.0 { moment(3) / sd.powi(3) } else { 0.0 };
    let standard_error = sd * (n / (n - 1.0)).sqrt() / n.sqrt() / (denominator / n);
    let t = student_t(n - 1.0);
    let (low, high) = (hall(t, skewness, n), hall(-t, skewness, n));
    Ok(Estimate { value: mean, low: mean - low * standard_error, high: mean - high * standard_error, mean, blocks })
}

/// The value of Student's t whose transform by Hall's cubic is `x`, for a sample of `n` with this skewness.
fn hall(x: f64, skewness: f64, n: f64) -> f64 {
    if skewness.abs() < NO_SKEWNESS {
        return x;
    }
    let per_root = skewness / n.sqrt();
    3.0 / per_root * ((1.0 + per_root * (x - per_root / 6.0)).cbrt() - 1.0)
}

/// The 97.5 % point of Student's t (Abramowitz & Stegun 26.7.5): within 0.004 from five degrees of freedom on.
pub(crate) fn student_t(degrees: f64) -> f64 {
    let z2 = Z * Z;
    let g1 = Z * (z2 + 1.0) / 4.0;
    let g2 = Z * (5.0 * z2 * z2 + 16.0 * z2 + 3.0) / 96.0;
    let g3 = Z * (3.0 * z2.powi(3) + 19.0 * z2 * z2 + 17.0 * z2 - 15.0) / 384.0;
    Z + g1 / degrees + g2 / degrees.powi(2) + g3 / degrees.powi(3)
}

#[cfg(test)]
mod tests;
