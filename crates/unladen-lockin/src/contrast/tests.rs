use fastrand::Rng;

use super::*;

/// Arms whose blocks share their machine's speed; `factors` is by how much each is slower.
fn arms(factors: &[f64], restarts: usize, blocks: usize, latencies: usize, seed: u64) -> Vec<Observations> {
    let mut rng = Rng::with_seed(seed);
    let mut arms = vec![Observations::new(); factors.len()];
    for _ in 0..restarts {
        arms.iter_mut().for_each(Observations::begin_restart);
        for _ in 0..blocks {
            let speed = 0.8 + 0.4 * rng.f64();
            for (arm, factor) in arms.iter_mut().zip(factors) {
                arm.push_block((0..latencies).map(|_| (20e6 * factor * speed * (0.7 + 0.6 * rng.f64())) as u64));
            }
        }
    }
    arms
}

const ALL: [Statistic; 4] =
    [Statistic::Mean, Statistic::Quantile(0.5), Statistic::Quantile(0.95), Statistic::Within(20_000_000)];

#[test]
fn an_arm_differs_from_itself_by_nothing() {
    let arms = arms(&[1.0], 1, 10, 40, 1);
    for statistic in ALL {
        let same = compare(&arms[0], &arms[0], statistic).unwrap();
        assert_eq!((same.value, same.low, same.high, same.p_value), (1.0, 1.0, 1.0, 1.0), "{statistic:?}");
        assert!(!same.excludes_no_change());
    }
}

#[test]
fn what_blocks_share_does_not_widen_the_interval() {
    // Blocks vary by ±20 %, which both arms have in common.
    let arms = arms(&[1.0, 1.1], 1, 30, 60, 2);
    for statistic in &ALL[..3] {
        let slower = compare(&arms[1], &arms[0], *statistic).unwrap();
        assert!(slower.low < 1.1 && 1.1 < slower.high && slower.relative_half_width() < 0.04, "{slower:?}");
        assert!(slower.excludes_no_change() && slower.p_value < 0.01);
        assert_eq!((slower.units, slower.unit, slower.terms), (30, Unit::Block, 2.0));
    }
}

#[test]
fn exchanging_the_arms_inverts_the_ratio() {
    let arms = arms(&[1.0, 1.1], 1, 12, 60, 3);
    for statistic in ALL {
        let (a, b) = (compare(&arms[1], &arms[0], statistic).unwrap(), compare(&arms[0], &arms[1], statistic).unwrap());
        assert!((a.value * b.value - 1.0).abs() < 1e-12 && (a.low * b.high - 1.0).abs() < 1e-12);
        assert!((a.p_value - b.p_value).abs() < 1e-12);
    }
}

#[test]
fn the_p_value_agrees_with_the_interval() {
    for seed in 0..60 {
        let arms = arms(&[1.0, 1.02], 1, 8, 30, seed);
        for statistic in ALL {
            let found = compare(&arms[1], &arms[0], statistic).unwrap();
            assert_eq!(found.p_value < 0.05, found.excludes_no_change(), "{found:?}");
        }
    }
}

#[test]
fn the_standard_error_is_that_of_a_bootstrap_of_blocks() {
    let blocks = 40;
    let source = arms(&[1.0, 1.05], 1, blocks, 25, 5);
    let mut rng = Rng::with_seed(6);
    for statistic in ALL {
        let found = contrast(&[(1.0, &source[1]), (-1.0, &source[0])], statistic, Scale::Difference).unwrap();
        let drawn: Vec<f64> = (0..300)
            .map(|_| {
                let drawn: Vec<usize> = (0..blocks).map(|_| rng.usize(..blocks)).collect();
                let value = |arm: &Observations| arm.drawn(&drawn).value(statistic).unwrap();
                value(&source[1]) - value(&source[0])
            })
            .collect();
        let mean = drawn.iter().sum::<f64>() / 300.0;
        let sd = (drawn.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 299.0).sqrt();
        let standard_error = found.half_width() / 2.03;
        assert!((0.85..1.2).contains(&(standard_error / sd)), "{statistic:?}: {standard_error} {sd}");
    }
}

#[test]
fn restarts_are_the_units_and_two_of_them_have_one_degree_of_freedom() {
    let arms = arms(&[1.0, 1.1], 2, 6, 60, 7);
    let found = compare(&arms[1], &arms[0], Statistic::Mean).unwrap();
    assert_eq!((found.units, found.unit), (2, Unit::Restart));
    let ratio = |restart: usize| {
        let blocks: Vec<usize> = (6 * restart..6 * restart + 6).collect();
        let of_one = [arms[0].drawn(&blocks), arms[1].drawn(&blocks)];
        compare(&of_one[1], &of_one[0], Statistic::Mean).unwrap().value.ln()
    };
    let standard_error = (ratio(0) - ratio(1)).abs() / 2.0;
    let half = (found.high / found.low).ln() / 2.0;
    assert!((half / (12.7062 * standard_error) - 1.0).abs() < 0.02, "{half} {standard_error}");
}

#[test]
fn pooled_baselines_count_once() {
    let arms = arms(&[1.0, 1.0, 1.1], 1, 20, 60, 8);
    let pooled = Observations::pooled(&[&arms[0], &arms[1]]);
    let by_pooled = compare(&arms[2], &pooled, Statistic::Quantile(0.5)).unwrap();
    let terms = [(1.0, &arms[2]), (-0.5, &arms[0]), (-0.5, &arms[1])];
    let by_terms = contrast(&terms, Statistic::Quantile(0.5), Scale::Ratio).unwrap();
    assert_eq!(by_pooled, by_terms);
    assert_eq!(by_pooled.terms, 1.5);
}

#[test]
fn blocks_that_an_arm_lacks_are_left_out_of_all() {
    let mut rng = Rng::with_seed(1);
    let mut gaps = [Observations::new(), Observations::new()];
    let mut whole = [Observations::new(), Observations::new()];
    for block in 0..12 {
        let latencies: [Vec<u64>; 2] = [(); 2].map(|()| (0..50).map(|_| rng.u64(10_000..20_000)).collect());
        gaps[0].push_block(latencies[0].clone());
        gaps[1].push_block(if block % 4 == 0 { Vec::new() } else { latencies[1].clone() });
        if block % 4 != 0 {
            whole.iter_mut().zip(latencies).for_each(|(arm, latencies)| arm.push_block(latencies));
        }
    }
    for statistic in ALL {
        let of =
            |arms: &[Observations; 2]| contrast(&[(1.0, &arms[1]), (-1.0, &arms[0])], statistic, Scale::Difference);
        assert_eq!(of(&gaps).unwrap(), of(&whole).unwrap());
    }
}

#[test]
fn what_data_cannot_carry_is_refused_and_says_what_is_missing() {
    let few = arms(&[1.0, 1.0], 1, 5, 100, 1);
    let refused = compare(&few[0], &few[1], Statistic::Mean).unwrap_err();
    assert_eq!(refused, CannotCompare::TooFewBlocks { blocks: 5 });
    assert!(refused.to_string().contains("6 are needed"), "{refused}");

    let short = arms(&[1.0, 1.0], 1, 10, 30, 1);
    let refused = compare(&short[0], &short[1], Statistic::Quantile(0.99)).unwrap_err();
    assert_eq!(refused, CannotCompare::TooFewLatencies { quantile: 0.99, latencies: 300, needed: 368 });
    assert_eq!(
        refused.to_string(),
        "300 latencies are too few for an interval of the 99 % quantile, each arm needs 368: measure longer"
    );

    let longer = arms(&[1.0], 1, 11, 30, 1);
    assert_eq!(compare(&short[0], &longer[0], Statistic::Mean), Err(CannotCompare::NotAligned));
    assert_eq!(contrast(&[], Statistic::Mean, Scale::Ratio), Err(CannotCompare::NotAligned));
    let none_within = Statistic::Within(1_000);
    assert_eq!(compare(&short[0], &short[1], none_within), Err(CannotCompare::NotPositive));
    let terms = [(1.0, &short[0]), (-1.0, &short[1])];
    assert_eq!(contrast(&terms, none_within, Scale::Difference).unwrap().p_value, 1.0);
}

fn steady_arms(factors: &[f64]) -> Vec<Observations> {
    let mut rng = Rng::with_seed(4);
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
    let arms = steady_arms(&[1.0, 0.8, 0.7, 0.9, 0.8 * 0.7 * 0.9]);
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
    let arms = steady_arms(&[1.0, 0.5, 0.8, 0.4]);
    let terms = main_effect(&[&arms[1], &arms[3]], &[&arms[0], &arms[2]]);
    let found = contrast(&terms, Statistic::Quantile(0.5), Scale::Ratio).unwrap();
    assert!((found.value - 0.5).abs() < 0.01 && found.terms == 1.0, "{found:?}");
}
