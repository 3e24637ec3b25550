use unladen_lockin::{Planner, Timing};

use super::*;

fn kinds(seed: u64, count: usize) -> Vec<ReferenceKind> {
    let mut work = ReferenceWork::new(seed).unwrap();
    (0..count).map(|_| work.run_one().unwrap().kind).collect()
}

#[test]
fn every_kind_has_its_turn_before_any_comes_again() {
    let mut orders = std::collections::BTreeSet::new();
    for three in kinds(3, 30).chunks(3) {
        orders.insert(three.to_vec());
        let mut sorted = three.to_vec();
        sorted.sort();
        assert_eq!(sorted, ReferenceKind::ALL);
    }
    assert!(orders.len() > 1, "always in the same order");
}

#[test]
fn the_same_seed_gives_the_same_order() {
    assert_eq!(kinds(7, 9), kinds(7, 9));
}

/// Both are drawn by the seed of the run.
#[test]
fn the_order_says_nothing_of_that_of_the_phases() {
    let timing = Timing { phase: std::time::Duration::from_secs(1), jitter: Timing::JITTER };
    let mut seen = [[0_u32; 3]; 2];
    for seed in 0..600 {
        let begins_on = Planner::new(seed, 1, timing).next().unwrap().order.positions()[0].is_on();
        seen[usize::from(begins_on)][first_kind(seed) as usize] += 1;
    }
    for kinds in seen {
        let all: u32 = kinds.iter().sum();
        for count in kinds {
            // Three standard deviations of a third of some 300.
            assert!((f64::from(count) / f64::from(all) - 1.0 / 3.0).abs() < 0.082, "{seen:?}");
        }
    }
}

fn first_kind(seed: u64) -> ReferenceKind {
    deal(&mut generator(seed)).pop().unwrap()
}

#[test]
fn a_sample_has_both_times() {
    let mut work = ReferenceWork::new(1).unwrap();
    for kind in ReferenceKind::ALL {
        let sample = work.run(kind).unwrap();
        assert_eq!(sample.kind, kind);
        assert!(sample.cpu_ns > 1_000 && sample.wall_ns > 1_000, "{sample:?}");
    }
}
