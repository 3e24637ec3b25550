use fastrand::Rng;

use super::*;

fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}

/// Runs around a level, each with its own error.
fn points(rng: &mut Rng, runs: usize, level: f64, between: f64) -> Vec<Point> {
    (0..runs)
        .map(|index| {
            let error = if index % 2 == 0 { 0.2 } else { 0.6 };
            Point { y: level + between * normal(rng) + error * normal(rng), variance: error * error }
        })
        .collect()
}

#[test]
fn the_variation_between_runs_is_told_from_their_own_errors() {
    for truth in [0.0, 0.5, 1.0] {
        let mut rng = Rng::with_seed(1);
        let mean =
            (0..300).map(|_| Between::of(&[&points(&mut rng, 12, 9.0, truth)]).unwrap().variance).sum::<f64>() / 300.0;
        let expected: f64 = truth * truth;
        // Below zero it is cut off, so none at all looks like a little.
        assert!((mean - expected).abs() < 0.03 + 0.06 * expected, "{mean} of {expected}");
    }
}

#[test]
fn changes_of_level_do_not_count() {
    let mut rng = Rng::with_seed(2);
    let (low, high) = (points(&mut rng, 8, 1.0, 0.5), points(&mut rng, 8, 50.0, 0.5));
    let apart = Between::of(&[&low, &high]).unwrap();
    let together = Between::of(&[&[low, high].concat()]).unwrap();
    assert!(apart.variance < 1.0 && together.variance > 500.0, "{apart:?} {together:?}");
    // Two levels, and a place that was looked for.
    assert_eq!((apart.degrees, together.degrees, apart.runs), (13.0, 15.0, 16));
}

#[test]
fn exact_figures_have_no_variation_or_all_of_it() {
    let exact = |values: &[f64]| values.iter().map(|&y| Point { y, variance: 0.0 }).collect::<Vec<_>>();
    assert!(Between::of(&[&exact(&[3.0; 5])]).unwrap().variance < 1e-20);
    let varied = Between::of(&[&exact(&[1.0, 3.0])]).unwrap();
    assert!((varied.variance - 2.0).abs() < 1e-9, "{varied:?}");
    assert_eq!(Between::of(&[&exact(&[1.0])]), None);
    assert_eq!(Between::of(&[]), None);
}

/// The exact medians of chi-square over its degrees of freedom.
#[test]
fn most_estimates_of_a_variance_are_too_small() {
    for (degrees, exact) in [(1.0, 0.4549), (2.0, std::f64::consts::LN_2), (3.0, 0.7887), (7.0, 0.9066), (40.0, 0.9834)]
    {
        let median = median_of_chi_square(degrees);
        assert!((median - exact).abs() < 0.02, "{degrees}: {median}");
    }
}
