use proptest::prelude::*;

use super::*;
use crate::frame::Frame;
use crate::profile::{About, CallCount};
use crate::tests::testing::{of_lines, profiles};

fn profile(clusters: &[&[(&str, u64)]]) -> Profile {
    of_lines("", clusters)
}

fn row<'a>(profile: &Profile, rows: &'a [FunctionRow], name: &str) -> &'a FunctionRow {
    rows.iter().find(|row| profile.frames.get(row.frame).name == name).unwrap()
}

fn callers_of(profile: &Profile, row: &FunctionRow) -> Vec<(Option<String>, u64, Option<u64>)> {
    row.callers
        .iter()
        .map(|caller| {
            (caller.frame.map(|frame| profile.frames.get(frame).name.to_owned()), caller.weight, caller.calls)
        })
        .collect()
}

#[test]
fn a_stack_counts_once_for_a_function_however_often_it_is_in_it() {
    let profile = profile(&[&[("main;walk;walk;walk", 5), ("main;walk;leaf;walk", 2), ("main", 3)]]);
    let rows = functions(&profile);
    let names: Vec<&str> = rows.iter().map(|row| profile.frames.get(row.frame).name).collect();
    assert_eq!(names, ["main", "walk", "leaf"]);
    let walk = row(&profile, &rows, "walk");
    assert_eq!((walk.self_weight, walk.total_weight), (7, 7));
    assert_eq!(row(&profile, &rows, "leaf").total_weight, 2);
    assert_eq!(row(&profile, &rows, "main").self_weight, 3);
    assert_eq!(walk.total_share.value, 0.7);
    assert_eq!(walk.total_share.interval, None);
    // On behalf of whom: the outermost's caller.
    assert_eq!(callers_of(&profile, walk), [(Some("main".to_owned()), 7, None)]);
}

#[test]
fn callers_are_told_apart_the_largest_first() {
    let profile = profile(&[&[("a;f", 1), ("b;f", 5), ("f", 3)], &[("a;f;g", 3), ("b;a;f", 0)]]);
    let rows = functions(&profile);
    let f = row(&profile, &rows, "f");
    assert_eq!(f.total_weight, 12);
    assert_eq!(
        callers_of(&profile, f),
        [(Some("b".to_owned()), 5, None), (Some("a".to_owned()), 4, None), (None, 3, None)]
    );
}

#[test]
fn calls_are_of_all_clusters_and_by_request() {
    let mut profile = profile(&[&[("main;db", 4)], &[("main;db", 4)]]);
    let (main, db) = (profile.frames.intern(Frame::function("main")), profile.frames.intern(Frame::function("db")));
    let quick = profile.frames.intern(Frame::function("quick"));
    for cluster in 0..2 {
        profile.clusters[cluster].calls = vec![
            CallCount { caller: Some(main), callee: db, calls: 500 },
            CallCount { caller: Some(quick), callee: db, calls: 7 },
            CallCount { caller: Some(db), callee: quick, calls: 1 },
            CallCount { caller: Some(main), callee: db, calls: 1 },
        ];
    }
    let rows = functions(&profile);
    let of_db = row(&profile, &rows, "db");
    assert_eq!((of_db.calls, of_db.calls_per_request), (Some(1016), Some(508.0)));
    assert_eq!(
        callers_of(&profile, of_db),
        [(Some("main".to_owned()), 8, Some(1002)), (Some("quick".to_owned()), 0, Some(14))]
    );
    // Called, but too quick to weigh anything.
    let of_quick = row(&profile, &rows, "quick");
    assert_eq!((of_quick.total_weight, of_quick.calls), (0, Some(2)));
    // Nobody counted calls of `main`.
    assert_eq!(row(&profile, &rows, "main").calls, None);
    profile.about.are_requests = false;
    assert_eq!(row(&profile, &functions(&profile), "db").calls_per_request, None);
    profile.about.requests = Some(4);
    assert_eq!(row(&profile, &functions(&profile), "db").calls_per_request, Some(254.0));
}

#[test]
fn groups_are_no_functions_and_call_nobody() {
    let mut profile = Profile::new(About::default());
    let cluster = profile.begin_request();
    let group = profile.frames.intern(Frame { kind: FrameKind::Group, ..Frame::function("www-data php-fpm8.2") });
    let main = profile.frames.intern(Frame::function("main"));
    let stack = profile.stacks.intern([group, main]);
    profile.add(cluster, stack, 9);
    let on_group = profile.stacks.intern([group]);
    profile.add(cluster, on_group, 1);
    let rows = functions(&profile);
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].frame, rows[0].total_share.value), (main, 0.9));
    assert_eq!(rows[0].callers, [Caller { frame: None, weight: 9, calls: None }]);
}

#[test]
fn six_clusters_carry_intervals() {
    let one: &[(&str, u64)] = &[("main;find", 3), ("main", 7)];
    let other: &[(&str, u64)] = &[("main;find", 4), ("main", 9)];
    let few = profile(&[one; 5]);
    assert!(functions(&few).iter().all(|row| row.total_share.interval.is_none() && row.self_share.interval.is_none()));
    let enough = profile(&[one, other, one, other, one, other]);
    let rows = functions(&enough);
    let (low, high) = row(&enough, &rows, "find").self_share.interval.unwrap();
    assert!(low < 21.0 / 69.0 && 21.0 / 69.0 < high && low > 0.25 && high < 0.35, "{low} {high}");
    // All of all requests.
    let (low, high) = row(&enough, &rows, "main").total_share.interval.unwrap();
    assert!(low < 1.0 && high == 1.0, "{low} {high}");
}

#[test]
fn weights_beyond_64_bits_stay_at_the_largest() {
    let profile = profile(&[&[("main;f", u64::MAX), ("main;f", 2), ("main;g", u64::MAX)], &[("main;f", u64::MAX)]]);
    let rows = functions(&profile);
    assert_eq!(row(&profile, &rows, "main").total_weight, u64::MAX);
    assert_eq!(row(&profile, &rows, "f").callers[0].weight, u64::MAX);
}

#[test]
fn deep_stacks_cost_what_they_weigh() {
    let mut profile = Profile::new(About::default());
    let frames: Vec<FrameId> =
        (0..100).map(|index| profile.frames.intern(Frame::function(&format!("f{index}")))).collect();
    let mut stack = profile.stacks.root();
    let cluster = profile.begin_request();
    for depth in 0..100_000 {
        stack = profile.stacks.push(stack, frames[depth % 100]);
        profile.add(cluster, stack, 1);
    }
    // Step by step for each of them it would be five thousand million.
    let rows = functions(&profile);
    assert_eq!(row(&profile, &rows, "f0").total_weight, 100_000);
    assert_eq!(row(&profile, &rows, "f99").self_weight, 1000);
}

/// By walking each stack of each cluster from its innermost frame on.
fn slow_weights(profile: &Profile, function: FrameId) -> [u64; 2] {
    let mut sums = [0; 2];
    for (stack, weight) in profile.clusters.iter().flat_map(|cluster| &cluster.weights) {
        let frames: Vec<FrameId> = profile.stacks.inwards_out(*stack).collect();
        sums[0] += if frames.first() == Some(&function) { *weight } else { 0 };
        sums[1] += if frames.contains(&function) { *weight } else { 0 };
    }
    sums
}

proptest! {
    #[test]
    fn weights_are_those_of_all_stacks_that_have_the_function(profile in profiles()) {
        let rows = functions(&profile);
        for (frame, one) in profile.frames.iter() {
            let of_frame: Vec<&FunctionRow> = rows.iter().filter(|row| row.frame == frame).collect();
            let weights = slow_weights(&profile, frame);
            let mut calls = profile.clusters.iter().flat_map(|cluster| &cluster.calls);
            let called = calls.any(|count| count.callee == frame && count.calls > 0);
            if one.kind == FrameKind::Group || weights[1] == 0 && !called {
                prop_assert!(of_frame.is_empty());
                continue;
            }
            prop_assert_eq!(of_frame.len(), 1);
            let row = of_frame[0];
            prop_assert_eq!([row.self_weight, row.total_weight], weights);
            prop_assert_eq!(row.callers.iter().map(|caller| caller.weight).sum::<u64>(), weights[1]);
            let total = profile.total().max(1) as f64;
            prop_assert!((row.self_share.value - weights[0] as f64 / total).abs() < 1e-9);
            prop_assert!((row.total_share.value - weights[1] as f64 / total).abs() < 1e-9);
        }
        prop_assert!(rows.windows(2).all(|pair| pair[0].total_weight >= pair[1].total_weight));
    }
}
