//! Student's t for any number of degrees of freedom, by the incomplete beta function.
//!
//! The expansion ([`expanded`]) serves for 97.5 % from five degrees on; two restarts have one degree.

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

/// The 97.5 % point of Student's t (Abramowitz & Stegun 26.7.5): within 0.004 from five degrees of freedom on.
pub(crate) fn expanded(degrees: f64) -> f64 {
    /// The standard normal distribution's 97.5 % point.
    const Z: f64 = 1.959_964;

    let z2 = Z * Z;
    let g1 = Z * (z2 + 1.0) / 4.0;
    let g2 = Z * (5.0 * z2 * z2 + 16.0 * z2 + 3.0) / 96.0;
    let g3 = Z * (3.0 * z2.powi(3) + 19.0 * z2 * z2 + 17.0 * z2 - 15.0) / 384.0;
    Z + g1 / degrees + g2 / degrees.powi(2) + g3 / degrees.powi(3)
}

/// Most terms of the continued fraction; it takes some √max(a, b).
const TERMS: usize = 10_000;
/// Replaces a zero denominator.
const TINY: f64 = 1e-300;

/// ln Γ(x) for x > 0: Lanczos' approximation with g = 7 and nine terms (Lanczos 1964, *SIAM J. Numer. Anal.* 1:86), to
/// about 1e-13.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    const G: f64 = 7.0;
    const FIRST: f64 = 0.999_999_999_999_809_9;
    const COEFFICIENTS: [f64; 8] = [
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x < 0.5 {
        // Reflection: Γ(x) Γ(1−x) = π / sin πx.
        return (std::f64::consts::PI / (std::f64::consts::PI * x).sin()).ln() - ln_gamma(1.0 - x);
    }
    let x = x - 1.0;
    let series =
        COEFFICIENTS.iter().enumerate().fold(FIRST, |sum, (i, coefficient)| sum + coefficient / (x + i as f64 + 1.0));
    let t = x + G + 0.5;
    0.5 * std::f64::consts::TAU.ln() + (x + 0.5) * t.ln() - t + series.ln()
}

/// The regularised incomplete beta function Iₓ(a, b), by its continued fraction (DLMF 8.17.22), evaluated by Lentz's
/// method as modified by Thompson & Barnett (1986, *J. Comput. Phys.* 64:490).
pub(crate) fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges quickly below the mean; above it, the mirrored one does.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let factor = (a * x.ln() + b * (-x).ln_1p() + ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b)).exp() / a;
    let away_from_zero = |y: f64| if y.abs() < TINY { TINY } else { y };
    let mut c = 1.0;
    let mut d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..TERMS {
        let m = m as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut step = 1.0;
        for numerator in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + numerator * d);
            c = away_from_zero(1.0 + numerator / c);
            step = c * d;
            fraction *= step;
        }
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    factor * fraction
}

#[cfg(test)]
mod tests;
