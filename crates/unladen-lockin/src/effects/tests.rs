use super::*;
use crate::{Scale, Statistic, contrast};

fn arms(factors: &[f64]) -> Vec<Observations> {
    let mut rng = fastrand::Rng::with_seed(4);
    let mut arms = vec![Observations::new(); factors.len()];
    for _ in 0..20 {
        for (arm, factor) in arms.iter_mut().zip(factors) {
            arm.push_block((0..50).map(|_| (1e7 * factor * (0.9 + 0.2 * rng.f64())) as u64));
        }
    }
    arms
}

#[test]
fn changes_that_multiply_have_no_interaction_of_ratios() {
    let arms = arms(&[1.0, 0.8, 0.7, 0.9, 0.8 * 0.7 * 0.9]);
    let terms = interaction(&arms[4], &[&arms[1], &arms[2], &arms[3]], &arms[0]);
    assert_eq!(terms.iter().map(|(weight, _)| weight).sum::<f64>(), 0.0);
    let found = contrast(&terms, Statistic::Mean, Scale::Ratio).unwrap();
    assert!(found.low < 1.0 && 1.0 < found.high && found.half_width() < 0.03, "{found:?}");
    let by_ns = contrast(&terms, Statistic::Mean, Scale::Difference).unwrap();
    // 5.04 ms is 1.04 ms more than the 4 ms that 2, 3 and 1 ms less would leave.
    assert!((by_ns.value - 1.04e6).abs() < 2e5, "{by_ns:?}");
}

#[test]
fn a_main_effect_is_the_mean_over_the_other_changes() {
    let arms = arms(&[1.0, 0.5, 0.8, 0.4]);
    let terms = main_effect(&[&arms[1], &arms[3]], &[&arms[0], &arms[2]]);
    let found = contrast(&terms, Statistic::Quantile(0.5), Scale::Ratio).unwrap();
    assert!((found.value - 0.5).abs() < 0.01 && found.terms == 1.0, "{found:?}");
}
