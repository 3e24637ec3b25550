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

/// The first outputs of SplitMix64 from the state 0, as its reference implementation has them.
#[test]
fn it_is_the_published_function() {
    let outputs: Vec<u64> = (0..3).map(|step: u64| mix(GOLDEN.wrapping_mul(step))).collect();
    assert_eq!(outputs, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]);
}

#[test]
fn an_order_has_everything_once() {
    let mut order = order(1_000, 7);
    assert_ne!(order, (0..1_000).collect::<Vec<_>>());
    order.sort_unstable();
    assert_eq!(order, (0..1_000).collect::<Vec<_>>());
}

/// If this fails, the work has changed: its version has to change with it.
#[test]
fn a_piece_of_version_1_is_this_one() {
    assert_eq!(crate::reference::VERSION, 1);
    assert_eq!(Arithmetic::new().run(), 13_679_254_683_338_921_661);
    assert_eq!(ARITHMETIC_STEPS, 240_000);
}

/// If this fails, the work has changed: its version has to change with it.
#[test]
fn the_pieces_of_version_1_are_these() {
    assert_eq!(crate::reference::VERSION, 1);
    let mut memory = Memory::new();
    let results: Vec<u64> = (0..3).map(|_| memory.run()).collect();
    assert_eq!(results, [2_206_329_586_711_463_933, 2_206_329_586_711_082_181, 2_206_329_586_711_445_901]);
    assert_eq!((HALF, MEMORY_STEPS), (524_288, 12_288));
}

/// What a program is started with, it keeps.
#[test]
fn programs_that_are_started_later_get_huge_pages_as_before() {
    let setting = || {
        let _held = SETTING.lock().unwrap_or_else(PoisonError::into_inner);
        get_thp_disable()
    };
    let before = setting();
    let _memory = Memory::new();
    assert_eq!(setting(), before);
}

#[test]
fn the_streaming_comes_to_every_line_once() {
    let words: Vec<u64> = (0..HALF as u64).collect();
    let lines = (PAGES * PAGE) as u64;
    assert_eq!(stream(&words, &order(PAGES, 1)), LINE as u64 * (lines * (lines - 1) / 2));
}

#[test]
fn the_walk_comes_to_every_line_once() {
    let memory = Memory::new();
    let mut seen = vec![false; PAGES * PAGE];
    let mut at = memory.at;
    for _ in 0..PAGES * PAGE {
        let line = (at - HALF) / LINE;
        assert!(!std::mem::replace(&mut seen[line], true));
        at = walk(&memory.buffer, at, 1);
    }
    assert_eq!(at, memory.at);
}

#[test]
fn the_walk_stays_in_a_page_until_it_has_seen_all_of_it() {
    let memory = Memory::new();
    let lines = (0..PAGE as u32).map(|steps| (walk(&memory.buffer, memory.at, steps) - HALF) / LINE / PAGE);
    let pages: std::collections::BTreeSet<usize> = lines.collect();
    assert_eq!(pages.len(), 1);
}

/// If this fails, the work has changed: its version has to change with it.
#[test]
fn a_piece_of_version_1_is_this_one_system_calls() {
    assert_eq!(crate::reference::VERSION, 1);
    let mut calls = SystemCalls::new().unwrap();
    assert_eq!((calls.run().unwrap(), calls.run().unwrap()), (6_400, 6_400));
    assert_eq!((EMPTY, PAIRS, BYTES), (4_000, 1_200, 512));
}
