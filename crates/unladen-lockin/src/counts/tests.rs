use fastrand::Rng;

use super::*;

/// Of each block: what is added per request to 20, the background, and the length of the phases.
fn arms(blocks: usize, added: [f64; 2], mut block: impl FnMut(usize) -> ([f64; 3], [u64; 3])) -> [Counts; 3] {
    let mut arms: [Counts; 3] = Default::default();
    for index in 0..blocks {
        let (background, duration_ns) = block(index);
        for arm in 0..3 {
            let requests = if arm < 2 { 10 } else { 0 };
            let own = if arm < 2 { 10.0 * (20.0 + added[arm]) } else { 0.0 };
            arms[arm].push_block(Phase { duration_ns: duration_ns[arm], requests, count: own + background[arm] });
        }
    }
    arms
}

fn difference(arms: &[Counts; 3], has_idle: bool) -> Contrast {
    contrast_counts(&[(1.0, &arms[1]), (-1.0, &arms[0])], has_idle.then_some(&arms[2]), Scale::Difference).unwrap()
}

#[test]
fn an_exact_count_has_an_exact_difference() {
    let arms = arms(8, [0.0, 2.0], |_| ([0.0; 3], [1_000; 3]));
    for has_idle in [true, false] {
        let found = difference(&arms, has_idle);
        assert_eq!((found.value, found.low, found.high, found.p_value), (2.0, 2.0, 2.0, 0.0));
    }
    let ratio = contrast_counts(&[(1.0, &arms[1]), (-1.0, &arms[0])], None, Scale::Ratio).unwrap();
    assert!((ratio.value - 1.1).abs() < 1e-12 && ratio.measure == Measure::Count);
}

#[test]
fn idle_phases_correct_for_phases_that_took_longer() {
    // A background of 0.1 a ns; the candidate's phases are half as long again.
    let arms = arms(8, [0.0, 2.0], |_| ([100.0, 150.0, 200.0], [1_000, 1_500, 2_000]));
    assert!((difference(&arms, true).value - 2.0).abs() < 1e-9);
    assert!((difference(&arms, false).value - 7.0).abs() < 1e-9);
    let terms = [(1.0, &arms[1]), (-1.0, &arms[0])];
    let ratio = contrast_counts(&terms, Some(&arms[2]), Scale::Ratio).unwrap();
    assert!((ratio.value - 1.1).abs() < 1e-9);
}

#[test]
fn a_burst_of_background_does_not_move_the_difference_far() {
    let mut rng = Rng::with_seed(1);
    let arms = arms(20, [0.0, 2.0], |index| {
        let mut background = [(); 3].map(|()| 100.0 + 10.0 * rng.f64());
        background[1] += if index == 7 { 10_000.0 } else { 0.0 };
        (background, [1_000; 3])
    });
    let found = difference(&arms, true);
    assert!((found.value - 2.0).abs() < 0.5 && found.high < 4.0, "{found:?}");
    assert!(difference(&arms, false).value > 40.0);
}

#[test]
fn rare_dear_requests_count_where_there_is_no_background() {
    // One block in twenty has a request that costs 1,000 more, with the candidate alone.
    let mut own = arms(40, [0.0, 0.0], |_| ([0.0; 3], [1_000; 3]));
    for dear in [3, 21] {
        own[1].blocks[dear].count += 1_000.0;
    }
    assert!((difference(&own, true).value - 5.0).abs() < 1e-9);
}

#[test]
fn pooled_counts_are_sums_and_gaps_stay_gaps() {
    let mut arms = arms(8, [0.0, 2.0], |_| ([0.0; 3], [1_000; 3]));
    arms[1].blocks[2] = Phase::default();
    let pooled = Counts::pooled(&[&arms[0], &arms[1]]);
    assert_eq!((pooled.blocks[0].requests, pooled.blocks[0].count), (20, 420.0));
    assert_eq!(pooled.blocks[2], Phase::default());
    let found = contrast_counts(&[(1.0, &arms[0]), (-1.0, &pooled)], None, Scale::Difference).unwrap();
    assert_eq!((found.units, found.terms), (7, 1.5));
}

#[test]
fn arms_that_do_not_belong_together_are_refused() {
    let (short, long) = (arms(6, [0.0; 2], |_| ([0.0; 3], [1; 3])), arms(7, [0.0; 2], |_| ([0.0; 3], [1; 3])));
    let refused = |terms: &[(f64, &Counts)], idle| contrast_counts(terms, idle, Scale::Difference).unwrap_err();
    assert_eq!(refused(&[(1.0, &short[0]), (-1.0, &long[0])], None), CannotCompare::NotAligned);
    assert_eq!(refused(&[(1.0, &short[0])], Some(&long[2])), CannotCompare::NotAligned);
    let few = arms(5, [0.0; 2], |_| ([0.0; 3], [1; 3]));
    assert_eq!(refused(&[(1.0, &few[0]), (-1.0, &few[1])], None), CannotCompare::TooFewBlocks { blocks: 5 });
}
