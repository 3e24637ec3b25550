use super::*;
use proptest::prelude::*;

#[test]
fn students_t_is_that_of_the_tables() {
    for (degrees, t) in [(5.0, 2.571), (9.0, 2.262), (14.0, 2.145), (29.0, 2.045), (1e6, 1.960)] {
        assert!((student_t(degrees) - t).abs() < 0.004, "{degrees}");
    }
}

#[test]
fn without_skewness_it_is_students_interval() {
    let estimate = mean_ratio(&[9.0, 11.0, 9.0, 11.0, 9.0, 11.0, 9.0, 11.0], &[1.0; 8]).unwrap();
    let half = 2.365 * (8.0_f64 / 7.0).sqrt() / 8.0_f64.sqrt();
    assert!((estimate.high - 10.0 - half).abs() < 0.003 && (10.0 - estimate.low - half).abs() < 0.003, "{estimate:?}");
}

#[test]
fn few_dear_blocks_stretch_the_interval_upwards() {
    let mut costs = vec![10.0; 15];
    (costs[3], costs[9]) = (30.0, 30.0);
    let estimate = mean_ratio(&costs, &[1.0; 15]).unwrap();
    assert!(estimate.high - estimate.value > 1.3 * (estimate.value - estimate.low), "{estimate:?}");
}

#[test]
fn fewer_than_six_blocks_are_refused() {
    assert_eq!(mean_ratio(&[1.0; 5], &[1.0; 5]), Err(TooFew { blocks: 5 }));
}

/// One request of a hundred costs ten times as much, forty requests a block.
#[test]
fn it_covers_the_mean_of_skewed_requests() {
    let mut rng = fastrand::Rng::with_seed(5);
    let (runs, truth) = (2_000, 1.0 + 0.01 * 9.0);
    // With few blocks the dear requests come in so small whole numbers that coverage goes in steps.
    for (blocks, expected) in [(15, 0.93..=0.995), (60, 0.93..=0.97)] {
        let covered = (0..runs)
            .filter(|_| {
                let costs: Vec<f64> =
                    (0..blocks).map(|_| (0..40).map(|_| if rng.f64() < 0.01 { 10.0 } else { 1.0 }).sum()).collect();
                let estimate = mean_ratio(&costs, &vec![40.0; blocks]).unwrap();
                estimate.low <= truth && truth <= estimate.high
            })
            .count();
        let coverage = covered as f64 / f64::from(runs);
        assert!(expected.contains(&coverage), "{blocks}: {coverage}");
    }
}

proptest! {
    #[test]
    fn the_interval_holds_the_mean_and_scales_with_the_unit(
        costs in proptest::collection::vec(0.0_f64..1e9, MIN_BLOCKS..60), factor in 1e-3_f64..1e3,
    ) {
        let ones = vec![1.0; costs.len()];
        let a = mean_ratio(&costs, &ones).unwrap();
        let scaled: Vec<f64> = costs.iter().map(|cost| cost * factor).collect();
        let b = mean_ratio(&scaled, &ones).unwrap();
        let tolerance = 1e-6 * (a.value.abs() + 1.0) * factor.max(1.0);
        prop_assert!(a.low <= a.value + 1e-6 * a.value && a.value <= a.high + 1e-6 * a.value, "{a:?}");
        prop_assert!((a.low * factor - b.low).abs() <= tolerance && (a.high * factor - b.high).abs() <= tolerance);
    }
}
