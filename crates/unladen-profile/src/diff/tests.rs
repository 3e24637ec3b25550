use proptest::prelude::*;

use super::*;
use crate::function::functions;
use crate::profile::Unit;
use crate::tests::testing::{of_lines, profiles};

/// So many requests, each of which finds for about so long and draws for a hundred.
fn requests(title: &str, count: usize, find: f64, seed: u64) -> Profile {
    let mut rng = fastrand_like(seed);
    let mut noise = move |mean: f64| (mean * (0.8 + 0.4 * rng())) as u64;
    let clusters: Vec<Vec<(&str, u64)>> = (0..count)
        .map(|_| {
            let mut stacks = vec![("main;draw", noise(100.0)), ("main", noise(10.0)), ("main;draw;log", noise(20.0))];
            if find > 0.0 {
                stacks.push(("main;load;find", noise(find)));
            }
            stacks
        })
        .collect();
    let slices: Vec<&[(&str, u64)]> = clusters.iter().map(Vec::as_slice).collect();
    of_lines(title, &slices)
}

/// 0 to 1 (Knuth's MMIX generator).
fn fastrand_like(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn row<'a>(diff: &'a Diff, name: &str) -> &'a DiffRow {
    diff.rows.iter().find(|row| diff.candidate.frames.get(row.frame).name == name).unwrap()
}

fn stack_named(diff: &Diff, names: &str) -> usize {
    let stacks = &diff.candidate.stacks;
    let name = |stack| {
        let names: Vec<&str> =
            stacks.outwards_in(stack).into_iter().map(|frame| diff.candidate.frames.get(frame).name).collect();
        names.join(";")
    };
    stacks.iter().find(|stack| name(*stack) == names).unwrap().index()
}

#[test]
fn what_has_shrunk_is_told_and_what_has_not_is_grey() {
    let (before, after) = (requests("before", 30, 60.0, 1), requests("after", 40, 5.0, 2));
    let diff = diff(&before, &after).unwrap();
    assert!(diff.per_request);
    assert_eq!(diff.titles, ["before", "after"]);
    let first = diff.candidate.frames.get(diff.rows[0].frame).name;
    assert_eq!(first, "find");
    for (name, is_changed) in [("find", true), ("load", true), ("main", true), ("draw", false), ("log", false)] {
        assert_eq!(row(&diff, name).is_changed, is_changed, "{name}: {:?}", row(&diff, name));
    }
    let find = row(&diff, "find");
    let (low, high) = find.self_change.interval.unwrap();
    assert!(low < -50.0 && -60.0 < high && high < -45.0, "{low} {high}");
    assert!((find.self_weight[1] - find.self_weight[0] - find.self_change.value).abs() < 1e-9);
    for (stack, is_told) in [("main;load", true), ("main;load;find", true), ("main;draw", false), ("", true)] {
        assert_eq!(diff.told()[stack_named(&diff, stack)], is_told, "{stack}");
    }
    let totals = |of_themselves: &Vec<f64>| diff.candidate.stacks.totals(of_themselves.clone(), |a, b| a + b);
    let (baseline, candidate) = (totals(&diff.baseline_self), totals(&diff.candidate_self));
    let find = stack_named(&diff, "main;load;find");
    let [before_each, after_each] = row(&diff, "find").total_weight;
    assert!((baseline[find] - before_each).abs() < 1e-9 && (candidate[find] - after_each).abs() < 1e-9);
    assert!((candidate[0] - after.total() as f64 / 40.0).abs() < 1e-9);
    assert!((baseline[0] - before.total() as f64 / 30.0).abs() < 1e-9);
    assert_eq!(diff.candidate.total(), after.total());
    assert_eq!(diff.candidate.requests(), Some(40));
}

#[test]
fn what_came_and_what_went_are_rows_too() {
    let old = of_lines("old", &[&[("main;gone", 4)]]);
    let new = of_lines("new", &[&[("main;new", 6)], &[]]);
    let diff = diff(&old, &new).unwrap();
    assert_eq!(row(&diff, "gone").self_weight, [4.0, 0.0]);
    assert_eq!(row(&diff, "new").self_weight, [0.0, 3.0]);
    assert_eq!(row(&diff, "main").total_weight, [4.0, 3.0]);
    assert!(diff.rows.iter().all(|row| !row.is_changed && row.total_change.interval.is_none()));
    assert_eq!(diff.told(), [false; 4]);
}

#[test]
fn without_requests_parts_of_the_whole_are_compared() {
    let mut old = of_lines("old", &[&[("main;f", 30), ("main", 70)][..]; 8]);
    let new = of_lines("new", &[&[("main;f", 10), ("main", 10)][..]; 8]);
    old.about.are_requests = false;
    let diff = diff(&old, &new).unwrap();
    assert!(!diff.per_request);
    let f = row(&diff, "f");
    assert!((f.self_weight[0] - 0.3).abs() < 1e-9 && (f.self_weight[1] - 0.5).abs() < 1e-9);
    assert!((f.self_change.value - 0.2).abs() < 1e-9);
    assert_eq!((f.self_change.interval, f.is_changed), (None, false));
}

#[test]
fn clusters_that_are_not_the_requests_carry_no_interval() {
    let mut old = requests("old", 10, 60.0, 1);
    old.about.requests = Some(1000);
    let diff = diff(&old, &requests("new", 10, 1.0, 2)).unwrap();
    assert!(diff.per_request && diff.rows.iter().all(|row| row.total_change.interval.is_none() && !row.is_changed));
    assert!(row(&diff, "find").total_weight[0] < 1.0);
}

#[test]
fn samples_of_different_lengths_are_compared_as_times() {
    let mut old = of_lines("old", &[&[("f", 3)]]);
    let mut new = of_lines("new", &[&[("f", 6)]]);
    old.about.period_ns = Some(1_000_000);
    new.about.period_ns = Some(500_000);
    let found = diff(&old, &new).unwrap();
    assert_eq!(row(&found, "f").self_weight, [3e6, 3e6]);
    assert_eq!((found.candidate.about.unit, found.candidate.about.period_ns), (Unit::Nanoseconds, None));
    new.about.unit = Unit::Bytes;
    assert!(matches!(diff(&old, &new), Err(MergeError::Units { .. })));
}

#[test]
fn calls_are_compared_where_both_counted() {
    let count = |profile: &mut Profile, calls| {
        let f = profile.frames.intern(crate::Frame::function("f"));
        profile.clusters[0].calls.push(crate::CallCount { caller: None, callee: f, calls });
    };
    let mut old = of_lines("old", &[&[("f", 3)]]);
    let mut new = of_lines("new", &[&[("f", 6)], &[]]);
    count(&mut old, 40);
    assert_eq!(row(&diff(&old, &new).unwrap(), "f").calls_per_request, None);
    count(&mut new, 3);
    assert_eq!(row(&diff(&old, &new).unwrap(), "f").calls_per_request, Some([40.0, 1.5]));
}

/// Of two hundred functions of which none has changed, hardly any pair of runs calls any.
#[test]
fn of_many_functions_those_that_chance_moved_are_not_told() {
    let names: Vec<String> = (0..200).map(|index| format!("main;f{index}")).collect();
    let mut rng = fastrand_like(7);
    let mut run = |title| {
        let clusters: Vec<Vec<(&str, u64)>> =
            (0..12).map(|_| names.iter().map(|name| (name.as_str(), (1000.0 * rng()) as u64)).collect()).collect();
        of_lines(title, &clusters.iter().map(Vec::as_slice).collect::<Vec<_>>())
    };
    let (mut called, mut outside, mut told) = (0, 0, 0);
    for _ in 0..20 {
        let diff = diff(&run("a"), &run("b")).unwrap();
        called += usize::from(diff.rows.iter().any(|row| row.is_changed));
        told += usize::from(diff.told().contains(&true));
        outside += diff.rows.iter().filter(|row| row.self_change.p_value <= 0.05).count();
    }
    // One in twenty is outside its own interval, as it must be.
    assert!((100..300).contains(&outside), "{outside}");
    assert!(called <= 4 && told <= 4, "{called} {told}");
}

proptest! {
    #[test]
    fn of_a_profile_and_itself_nothing_has_changed(profile in profiles()) {
        let diff = diff(&profile, &profile).unwrap();
        prop_assert!(!diff.told().contains(&true));
        prop_assert_eq!(&diff.baseline_self, &diff.candidate_self);
        for row in &diff.rows {
            prop_assert!(!row.is_changed);
            prop_assert_eq!((row.self_change.value, row.total_change.value), (0.0, 0.0));
            prop_assert_eq!(row.self_weight[0], row.self_weight[1]);
        }
        let rows = functions(&profile);
        for one in rows.iter().filter(|row| row.total_weight > 0) {
            let name = profile.frames.get(one.frame).name;
            let is_there = diff.rows.iter().any(|row| diff.candidate.frames.get(row.frame).name == name);
            prop_assert!(is_there, "{}", name);
        }    }

    #[test]
    fn the_other_way_round_it_is_the_other_way_round(one in profiles(), other in profiles()) {
        let other = Profile { about: one.about.clone(), ..other };
        let (there, back) = (diff(&one, &other).unwrap(), diff(&other, &one).unwrap());
        prop_assert_eq!(there.rows.len(), back.rows.len());
        for row in &there.rows {
            let frame = there.candidate.frames.get(row.frame);
            let reverse = back.rows.iter().find(|row| {
                let found = back.candidate.frames.get(row.frame);
                (found.name, found.file, found.kind) == (frame.name, frame.file, frame.kind)
            }).unwrap();
            prop_assert!((row.self_change.value + reverse.self_change.value).abs() < 1e-6);
            prop_assert!((row.total_change.value + reverse.total_change.value).abs() < 1e-6);
            prop_assert_eq!(row.is_changed, reverse.is_changed);
        }
    }
}

#[test]
fn tenths_were_compared_with_whole_samples() {
    let clusters: Vec<&[(&str, u64)]> = vec![&[("main;f", 10)]; 8];
    let whole = of_lines("whole", &clusters);
    let clusters: Vec<&[(&str, u64)]> = vec![&[("main;f", 105)]; 8];
    let mut tenths = of_lines("tenths", &clusters);
    tenths.about.decimals = 1;
    for (sides, expected) in [([&whole, &tenths], [10.0, 10.5]), ([&tenths, &whole], [10.5, 10.0])] {
        let diff = diff(sides[0], sides[1]).unwrap();
        let row = diff.rows.iter().find(|row| diff.candidate.frames.get(row.frame).name == "f").unwrap();
        assert_eq!((row.self_weight, row.total_weight), (expected, expected));
        assert!((row.self_change.value - (expected[1] - expected[0])).abs() < 1e-9, "{:?}", row.self_change);
        let own = [&diff.baseline_self, &diff.candidate_self].map(|weights| weights.iter().sum::<f64>());
        assert!((own[0] - expected[0]).abs() < 1e-9 && (own[1] - expected[1]).abs() < 1e-9, "{own:?}");
    }
}
