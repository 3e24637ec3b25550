use super::*;
use proptest::prelude::*;

#[test]
fn the_example_of_the_paper_gives_four_discoveries() {
    // Benjamini & Hochberg 1995, section 4: fifteen tests of thrombolysis, four rejected at 5 %.
    let p = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590,
        1.0000,
    ];
    let discoveries = benjamini_hochberg(&p).into_iter().filter(|q| *q <= FALSE_DISCOVERY_RATE).count();
    assert_eq!(discoveries, 4);
}

#[test]
fn ten_blocks_can_tell_one_group_of_thirty_from_chance_only_with_company() {
    assert_eq!(blocks_needed(1, 1), 6);
    assert_eq!(blocks_needed(30, 3), 9);
    assert_eq!(blocks_needed(30, 1), 11);
}

#[test]
fn counters_of_a_group_that_does_not_follow_are_never_discoveries() {
    let families =
        [Family { deciding: 0.2, others: vec![1e-9; 3] }, Family { deciding: 1e-9, others: vec![1e-9, 0.5] }];
    let adjusted = adjust_families(&families);
    assert_eq!(adjusted[0].others, [1.0; 3]);
    assert!(adjusted[1].others[0] <= FALSE_DISCOVERY_RATE && adjusted[1].others[1] > FALSE_DISCOVERY_RATE);
}

/// 2,000 experiments of 30 families whose nulls are all true but for three: the average share of false discoveries.
#[test]
fn the_share_of_false_discoveries_stays_below_the_rate() {
    let mut rng = fastrand::Rng::with_seed(11);
    let (mut sum, experiments) = (0.0, 2_000);
    for _ in 0..experiments {
        let families: Vec<Family> = (0..30)
            .map(|index| {
                let p = |rng: &mut fastrand::Rng| if index < 3 { 1e-4 } else { rng.f64() };
                Family { deciding: p(&mut rng), others: (0..8).map(|_| p(&mut rng)).collect() }
            })
            .collect();
        let adjusted = adjust_families(&families);
        let found = |family: &Family| usize::from(family.deciding <= FALSE_DISCOVERY_RATE);
        let (all, of_truth): (usize, usize) = (adjusted.iter().map(found).sum(), adjusted[..3].iter().map(found).sum());
        sum += (all - of_truth) as f64 / all.max(1) as f64;
    }
    let rate = sum / f64::from(experiments);
    assert!(rate < FALSE_DISCOVERY_RATE * 1.1, "{rate}");
}

#[test]
fn a_headline_keeps_its_power_beside_any_number_of_metrics() {
    let adjusted = adjust_comparisons(&[Family { deciding: 0.02, others: vec![0.6; 200] }]);
    assert!(adjusted[0].deciding <= FALSE_DISCOVERY_RATE);
    // Once the others hold, the headline has the whole level.
    let adjusted = adjust_comparisons(&[Family { deciding: 0.045, others: vec![0.01; 9] }]);
    assert!(adjusted[0].deciding <= FALSE_DISCOVERY_RATE && adjusted[0].others[0] <= FALSE_DISCOVERY_RATE);
}

#[test]
fn a_change_of_the_slowest_requests_alone_is_found() {
    let adjusted = adjust_comparisons(&[Family { deciding: 0.7, others: vec![0.8, 0.5, 0.001, 0.002, 0.9] }]);
    assert!(adjusted[0].deciding > FALSE_DISCOVERY_RATE);
    let found = adjusted[0].others.iter().map(|p| *p <= FALSE_DISCOVERY_RATE).collect::<Vec<_>>();
    assert_eq!(found, [false, false, true, true, false]);
}

#[test]
fn a_metric_alone_is_not_adjusted() {
    assert_eq!(adjust_comparisons(&[Family { deciding: 0.03, others: Vec::new() }])[0].deciding, 0.03);
    assert_eq!(adjust_comparisons(&[]), []);
}

/// Equal arms, whose metrics depend on each other as quantiles do: how often anything at all is called.
#[test]
fn nothing_is_called_of_equal_arms_in_95_percent_of_experiments() {
    let mut rng = fastrand::Rng::with_seed(5);
    for (candidates, shared) in [(1, 0.0), (1, 0.7), (6, 0.0), (6, 0.7)] {
        let experiments = 4_000;
        let mut called = 0;
        for _ in 0..experiments {
            let families: Vec<Family> = (0..candidates)
                .map(|_| {
                    let common = rng.f64();
                    let p = |rng: &mut fastrand::Rng| if rng.f64() < shared { common } else { rng.f64() };
                    Family { deciding: p(&mut rng), others: (0..9).map(|_| p(&mut rng)).collect() }
                })
                .collect();
            let adjusted = adjust_comparisons(&families);
            let mut all = adjusted.iter().flat_map(|family| family.others.iter().chain([&family.deciding]));
            called += u64::from(all.any(|p| *p <= FALSE_DISCOVERY_RATE));
        }
        let share = called as f64 / f64::from(experiments);
        assert!(share < FALSE_DISCOVERY_RATE + 0.011, "{candidates} {shared}: {share}");
    }
}

proptest! {
    #[test]
    fn adjusting_comparisons_never_lowers_a_p_value(
        families in proptest::collection::vec((0.0_f64..=1.0, proptest::collection::vec(0.0_f64..=1.0, 0..12)), 0..8),
    ) {
        let families: Vec<Family> =
            families.into_iter().map(|(deciding, others)| Family { deciding, others }).collect();
        for (given, adjusted) in families.iter().zip(adjust_comparisons(&families)) {
            prop_assert!(adjusted.deciding >= given.deciding - 1e-12 && adjusted.deciding <= 1.0);
            prop_assert!(given.others.iter().zip(&adjusted.others).all(|(given, adjusted)| *adjusted >= given - 1e-12));
        }
    }

    #[test]
    fn adjusting_never_lowers_a_p_value_and_keeps_the_order(p in proptest::collection::vec(0.0_f64..=1.0, 0..60)) {
        let q = benjamini_hochberg(&p);
        for (p, q) in p.iter().zip(&q) {
            prop_assert!(*q >= *p - 1e-15 && *q <= 1.0);
        }
        for i in 0..p.len() {
            for j in 0..p.len() {
                prop_assert!(p[i] > p[j] || q[i] <= q[j]);
            }
        }
    }
}
