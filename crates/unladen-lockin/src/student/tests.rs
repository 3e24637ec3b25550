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
