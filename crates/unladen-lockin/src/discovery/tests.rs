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

proptest! {
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
