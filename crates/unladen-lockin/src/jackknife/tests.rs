use super::*;

#[test]
fn of_a_mean_it_is_the_textbook_standard_error() {
    let values = [3.0, 5.0, 4.0, 8.0, 6.0, 1.0];
    let units: Vec<(f64, f64)> = values.iter().map(|value| (*value, 1.0)).collect();
    let sum = Replicates::combine(&[(1.0, Replicates::of_ratio(&units))], |value| value);
    let mean = values.iter().sum::<f64>() / 6.0;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 5.0;
    assert!((sum.value - mean).abs() < 1e-12 && (sum.standard_error - (variance / 6.0).sqrt()).abs() < 1e-12);
    assert!((sum.degrees - 5.0).abs() < 1e-9);
}

#[test]
fn what_terms_share_does_not_count() {
    let units: Vec<(f64, f64)> = (0..10).map(|unit| (f64::from(unit) + 1.0, 1.0)).collect();
    let twice: Vec<(f64, f64)> = units.iter().map(|(n, d)| (2.0 * n, *d)).collect();
    let terms = [(1.0, Replicates::of_ratio(&twice)), (-1.0, Replicates::of_ratio(&units))];
    let sum = Replicates::combine(&terms, f64::ln);
    assert!((sum.value - 2.0_f64.ln()).abs() < 1e-12 && sum.standard_error < 1e-12);
}

#[test]
fn few_spacings_leave_few_degrees_of_freedom() {
    let units = vec![(1.0, 1.0); 51];
    let with = |spacings| {
        let term = Replicates { spacings, ..Replicates::of_ratio(&units) };
        Replicates::combine(&[(1.0, term.clone()), (-1.0, term)], |value| value).degrees
    };
    assert!((with(f64::INFINITY) - 50.0).abs() < 1e-9);
    assert!((with(50.0) - 25.0).abs() < 1e-9);
    assert!(with(5.0) < 5.0);
}
