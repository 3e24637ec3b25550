use super::*;

/// The exact medians of chi-square over its degrees of freedom.
#[test]
fn most_estimates_of_a_variance_are_too_small() {
    for (degrees, exact) in [(1.0, 0.4549), (2.0, std::f64::consts::LN_2), (3.0, 0.7887), (7.0, 0.9066), (40.0, 0.9834)]
    {
        let median = median_of_chi_square(degrees);
        assert!((median - exact).abs() < 0.02, "{degrees}: {median}");
    }
}
