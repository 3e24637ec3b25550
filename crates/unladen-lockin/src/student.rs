//! Student's t for any number of degrees of freedom, by the incomplete beta function.
//!
//! The expansion in [`mean`](crate::mean) serves for 97.5 % from five degrees on; two restarts have one degree.

use crate::beta::incomplete_beta;

/// Bisection steps: more than an `f64` has bits.
const HALVINGS: usize = 80;

/// The two-sided p-value of a `t` with these `degrees` of freedom (Abramowitz & Stegun 26.7.1).
///
/// ```
/// assert!((unladen_lockin::t_p_value(12.706, 1.0) - 0.05).abs() < 1e-5);
/// ```
pub fn p_value(t: f64, degrees: f64) -> f64 {
    if t.is_nan() {
        return 1.0;
    }
    incomplete_beta(degrees / 2.0, 0.5, degrees / (degrees + t * t)).clamp(0.0, 1.0)
}

/// The t that is exceeded, to either side, with probability `alpha`: 12.706 for 5 % and one degree of freedom.
///
/// ```
/// assert!((unladen_lockin::t_critical(0.05, 1.0) - 12.706).abs() < 1e-3);
/// ```
pub fn critical(alpha: f64, degrees: f64) -> f64 {
    let mut high = 1.0;
    while p_value(high, degrees) > alpha && high < 1e12 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if p_value(middle, degrees) > alpha {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests;
