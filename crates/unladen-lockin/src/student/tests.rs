use super::*;

#[test]
fn quantiles_are_those_of_the_tables() {
    for (degrees, t) in [(1.0, 12.7062), (2.0, 4.3027), (4.0, 2.7764), (5.0, 2.5706), (30.0, 2.0423), (1e6, 1.95996)] {
        assert!((critical(0.05, degrees) - t).abs() < 1e-4, "{degrees}: {}", critical(0.05, degrees));
    }
    assert!((critical(0.01, 9.0) - 3.2498).abs() < 1e-4);
}

#[test]
fn p_values_of_extremes_are_defined() {
    assert_eq!(p_value(0.0, 7.0), 1.0);
    assert_eq!(p_value(f64::INFINITY, 7.0), 0.0);
    assert_eq!(p_value(f64::NAN, 7.0), 1.0);
}

#[test]
fn ln_gamma_is_that_of_the_tables() {
    // Γ(5) = 24, Γ(1/2) = √π, and Stirling's value for 1,000.
    for (x, expected) in
        [(5.0, 24.0_f64.ln()), (0.5, std::f64::consts::PI.sqrt().ln()), (1_000.0, 5_905.220_423_209_181)]
    {
        assert!((ln_gamma(x) - expected).abs() < 1e-11 * expected.abs().max(1.0), "{x}: {}", ln_gamma(x));
    }
    assert!((ln_gamma(0.1) - 2.252_712_651_734_206).abs() < 1e-12);
}

#[test]
fn the_incomplete_beta_is_that_of_closed_forms() {
    for x in [0.0, 0.01, 0.3, 0.5, 0.77, 0.999, 1.0] {
        assert!((incomplete_beta(1.0, 1.0, x) - x).abs() < 1e-14);
        assert!((incomplete_beta(3.0, 1.0, x) - x.powi(3)).abs() < 1e-14);
        assert!((incomplete_beta(1.0, 4.0, x) - (1.0 - (1.0 - x).powi(4))).abs() < 1e-13);
        // I(2, 3) = P(at least 2 of 4 successes).
        let binomial = 6.0 * x.powi(2) * (1.0 - x).powi(2) + 4.0 * x.powi(3) * (1.0 - x) + x.powi(4);
        assert!((incomplete_beta(2.0, 3.0, x) - binomial).abs() < 1e-13);
        // The arcsine distribution.
        let arcsine = 2.0 / std::f64::consts::PI * x.sqrt().asin();
        assert!((incomplete_beta(0.5, 0.5, x) - arcsine).abs() < 1e-12, "{x}");
    }
}

#[test]
fn large_parameters_converge() {
    let (n, q) = (100_000.0, 0.9);
    assert!((incomplete_beta(n * q, n * (1.0 - q), q) - 0.5).abs() < 2e-3);
}

#[test]
fn students_t_is_that_of_the_tables() {
    for (degrees, t) in [(5.0, 2.571), (9.0, 2.262), (14.0, 2.145), (29.0, 2.045), (1e6, 1.960)] {
        assert!((expanded(degrees) - t).abs() < 0.004, "{degrees}");
    }
}
