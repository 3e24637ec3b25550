//! Draws that `fastrand` does not have.

use fastrand::Rng;

/// Exponential with this mean.
pub(crate) fn exponential(rng: &mut Rng, mean: f64) -> f64 {
    -mean * (1.0 - rng.f64()).ln()
}

/// Standard normal (Box & Muller 1958).
pub(crate) fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}

/// Lognormal with this mean and coefficient of variation.
pub(crate) fn lognormal(rng: &mut Rng, mean: f64, cv: f64) -> f64 {
    let variance = (1.0 + cv * cv).ln();
    mean * (normal(rng) * variance.sqrt() - variance / 2.0).exp()
}

/// Pareto: no value is below `least`, and P(X > x) = (least / x)^alpha.
pub(crate) fn pareto(rng: &mut Rng, least: f64, alpha: f64) -> f64 {
    least * (1.0 - rng.f64()).powf(-1.0 / alpha)
}
