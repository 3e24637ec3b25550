use proptest::prelude::*;

use super::*;

/// Blocks of a plausible counter: numerators within a wide range, positive denominators.
fn blocks() -> impl Strategy<Value = Vec<(f64, f64)>> {
    proptest::collection::vec((-1e6_f64..1e6, 1.0_f64..500.0), MIN_BLOCKS..40)
}

fn unzip(blocks: &[(f64, f64)]) -> (Vec<f64>, Vec<f64>) {
    blocks.iter().copied().unzip()
}

#[test]
fn fewer_than_six_blocks_are_refused() {
    assert_eq!(ratio(&[1.0; 5], &[1.0; 5]), Err(TooFew { blocks: 5 }));
    assert_eq!(ratio(&[1.0; 8], &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0]), Err(TooFew { blocks: 5 }));
    assert!(ratio(&[1.0; 6], &[1.0; 6]).is_ok());
    assert_eq!(mean_ratio(&[1.0; 5], &[1.0; 5]), Err(TooFew { blocks: 5 }));
}

#[test]
fn a_burst_in_one_block_of_twelve_does_not_move_the_estimate_far() {
    let mut numerators: Vec<f64> = (0..12).map(|i| 100.0 + f64::from(i % 3)).collect();
    let calm = ratio(&numerators, &[10.0; 12]).unwrap();
    numerators[4] += 1e9;
    let burst = ratio(&numerators, &[10.0; 12]).unwrap();
    assert!((burst.value - calm.value).abs() < 0.06, "{calm:?} {burst:?}");
    assert!(burst.is_skewed() && !calm.is_skewed());
}

#[test]
fn an_exact_count_has_an_interval_of_no_width() {
    let requests: Vec<f64> = (10..30).map(f64::from).collect();
    let counts: Vec<f64> = requests.iter().map(|n| 2.0 * n).collect();
    let estimate = ratio(&counts, &requests).unwrap();
    assert_eq!((estimate.low, estimate.value, estimate.high), (2.0, 2.0, 2.0));
}

#[test]
fn zeros_follow_nothing() {
    assert_eq!(p_value_of_zero(&[0.0; 20]), 1.0);
}

#[test]
fn ten_thousand_blocks_are_grouped_and_agree_with_the_mean() {
    let mut rng = fastrand::Rng::with_seed(3);
    let numerators: Vec<f64> = (0..10_000).map(|_| 50.0 + rng.f64()).collect();
    let estimate = ratio(&numerators, &vec![1.0; 10_000]).unwrap();
    assert!((estimate.value - 50.5).abs() < 0.02 && estimate.half_width() < 0.02, "{estimate:?}");
    assert_eq!(estimate.blocks, 10_000);
}

proptest! {
    #[test]
    fn the_value_lies_within_its_interval(blocks in blocks()) {
        let (n, d) = unzip(&blocks);
        let estimate = ratio(&n, &d).unwrap();
        prop_assert!(estimate.low <= estimate.value && estimate.value <= estimate.high);
    }

    #[test]
    fn the_order_of_blocks_does_not_matter(blocks in blocks(), seed: u64) {
        let (n, d) = unzip(&blocks);
        let mut shuffled = blocks;
        fastrand::Rng::with_seed(seed).shuffle(&mut shuffled);
        let (sn, sd) = unzip(&shuffled);
        let (a, b) = (ratio(&n, &d).unwrap(), ratio(&sn, &sd).unwrap());
        prop_assert!((a.value - b.value).abs() <= 1e-9 * a.value.abs().max(1.0));
        prop_assert!((a.low - b.low).abs() <= 1e-9 * a.low.abs().max(1.0));
    }

    #[test]
    fn adding_a_weight_to_every_request_moves_all_by_it(blocks in blocks(), weight in -1e3_f64..1e3) {
        let (n, d) = unzip(&blocks);
        let heavier: Vec<f64> = n.iter().zip(&d).map(|(n, d)| n + weight * d).collect();
        let (a, b) = (ratio(&n, &d).unwrap(), ratio(&heavier, &d).unwrap());
        for (x, y) in [(a.value, b.value), (a.low, b.low), (a.high, b.high), (a.mean, b.mean)] {
            prop_assert!((x + weight - y).abs() <= 1e-6 * (x.abs() + weight.abs() + 1.0));
        }
    }

    #[test]
    fn another_unit_scales_all(blocks in blocks(), factor in 1e-3_f64..1e3) {
        let (n, d) = unzip(&blocks);
        let scaled: Vec<f64> = n.iter().map(|n| n * factor).collect();
        let (a, b) = (ratio(&n, &d).unwrap().scaled(factor), ratio(&scaled, &d).unwrap());
        prop_assert!((a.value - b.value).abs() <= 1e-9 * a.value.abs().max(1.0));
        prop_assert!((a.high - b.high).abs() <= 1e-9 * a.high.abs().max(1.0));
    }

    #[test]
    fn a_p_value_below_five_percent_goes_with_an_interval_without_zero(blocks in blocks()) {
        let n: Vec<f64> = blocks.iter().map(|(n, _)| *n).collect();
        let estimate = ratio(&n, &vec![1.0; n.len()]).unwrap();
        let excludes_zero = estimate.low > 0.0 || estimate.high < 0.0;
        prop_assert_eq!(p_value_of_zero(&n) <= crate::signed_rank::ALPHA, excludes_zero);
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
