use std::time::Duration;

use unladen_document::{Change, OpenSpan};
use unladen_lockin::{Arm, Design};

use super::*;

fn arms() -> Vec<Arm> {
    Design::Ab.arms(&["compressed"])
}

/// Eight blocks of three arms, of which each answers so often with so many bytes in all.
fn recording(of: impl Fn(usize, usize) -> ArmRecord) -> Recording {
    let block =
        |index: usize| BlockRecord { arms: (0..3).map(|arm| of(index, arm)).collect(), ..BlockRecord::default() };
    Recording { blocks: (0..8).map(block).collect() }
}

fn of_bytes(answered: u64, each: u64) -> ArmRecord {
    let statuses = [(200, answered)].into();
    ArmRecord { duration_ns: 1_000_000_000, answered, body_bytes: answered * each, statuses, ..ArmRecord::default() }
}

fn of_status(statuses: &[(u16, u64)]) -> ArmRecord {
    let answered = statuses.iter().map(|(_, count)| count).sum();
    ArmRecord { answered, statuses: statuses.iter().copied().collect(), ..ArmRecord::default() }
}

fn bytes(recording: &Recording) -> Comparison {
    judged(&arms(), Duration::from_secs(60), Metered::bytes(recording, 3).effects()).remove(0)
}

fn status(recording: &Recording, range: StatusRange) -> Comparison {
    judged(&arms(), Duration::from_secs(60), Metered::status(recording, 3, range).effects()).remove(0)
}

fn is_finite(comparison: &Comparison) -> bool {
    let Comparison { ratio, low, high, candidate, candidate_low, candidate_high, baseline, floor, .. } = comparison;
    let OpenSpan { value, low: from, high: to } = comparison.difference;
    let figures = [*ratio, *low, *high, *candidate, *candidate_low, *candidate_high, *baseline, *floor];
    let ends = figures.into_iter().chain([Some(value), from, to, Some(comparison.adjusted_p)]);
    ends.flatten().all(f64::is_finite)
}

/// No spread, so no standard error to divide by.
#[test]
fn answers_of_one_length_each_have_an_exact_verdict() {
    let recording = recording(|block, arm| of_bytes(40 + block as u64, if arm == 2 { 900 } else { 5_000 }));
    let found = bytes(&recording);
    assert!(is_finite(&found), "{found:?}");
    assert_eq!((found.change(), found.verdict.as_str()), (Change::Better, "lighter"));
    assert_eq!((found.baseline, found.candidate, found.floor), (Some(5_000.0), Some(900.0), Some(0.0)));
    assert!(found.adjusted_p < 1e-12, "{found:?}");
    let ratio = found.ratio_span().unwrap();
    assert!((ratio.value - 0.18).abs() < 1e-12 && (ratio.high - ratio.low).abs() < 1e-9, "{ratio:?}");
    assert_eq!(found.difference.value, -4_100.0);
}

#[test]
fn answers_of_the_same_length_do_not_differ() {
    let found = bytes(&recording(|block, _| of_bytes(7 + block as u64, 5_000)));
    assert!(is_finite(&found), "{found:?}");
    assert_eq!((found.change(), found.floor), (Change::Equal, Some(0.0)));
    // A byte of five thousand is known for certain, and no matter.
    let found = bytes(&recording(|_, arm| of_bytes(40, if arm == 2 { 5_001 } else { 5_000 })));
    assert_eq!(found.change(), Change::Equal, "{found:?}");
}

#[test]
fn no_bytes_have_no_ratio() {
    let found = bytes(&recording(|_, arm| of_bytes(40, if arm == 2 { 0 } else { 5_000 })));
    assert!(is_finite(&found) && found.ratio.is_none(), "{found:?}");
    assert_eq!((found.change(), found.difference.value), (Change::Better, -5_000.0));
    let found = bytes(&recording(|_, arm| of_bytes(40, if arm == 2 { 5_000 } else { 0 })));
    assert_eq!((found.change(), found.verdict.as_str()), (Change::Worse, "heavier"));
    let found = bytes(&recording(|_, _| of_bytes(40, 0)));
    assert!(is_finite(&found), "{found:?}");
    assert_eq!(found.change(), Change::Equal);
}

#[test]
fn answers_that_vary_have_an_interval() {
    let mut rng = fastrand::Rng::with_seed(7);
    let lengths: Vec<u64> = (0..24).map(|_| rng.u64(4_800..5_200)).collect();
    let found = bytes(&recording(|block, arm| of_bytes(40, lengths[block * 3 + arm])));
    assert!(is_finite(&found) && found.difference_span().low < 0.0 && found.difference_span().high > 0.0, "{found:?}");
    assert!(found.floor.unwrap() > 0.0 && !found.change().is_told(), "{found:?}");
}

#[test]
fn an_arm_without_answers_is_not_compared() {
    let recording = recording(|_, arm| if arm == 2 { ArmRecord::default() } else { of_bytes(40, 5_000) });
    assert!(Metered::bytes(&recording, 3).effects().is_empty());
}

#[test]
fn statuses_are_shares_of_all_answers() {
    let changed = recording(|_, arm| of_status(if arm == 2 { &[(304, 40)] } else { &[(200, 40)] }));
    let found = status(&changed, StatusRange::One(304));
    assert!(is_finite(&found), "{found:?}");
    assert_eq!((found.change(), found.verdict.as_str()), (Change::Better, "more"));
    assert_eq!((found.baseline, found.candidate, found.difference.value), (Some(0.0), Some(1.0), 1.0));
    let found = status(&changed, StatusRange::One(200));
    assert_eq!(found.verdict, "less");
    let found = status(&changed, StatusRange::Class(5));
    assert_eq!((found.change(), found.candidate), (Change::Equal, Some(0.0)));

    let failing = recording(|_, arm| of_status(if arm == 2 { &[(200, 30), (503, 10)] } else { &[(200, 40)] }));
    let found = status(&failing, StatusRange::Class(5));
    assert_eq!((found.metric.as_str(), found.change()), ("statuses.5xx", Change::Worse));
    assert_eq!((found.candidate, found.verdict.as_str()), (Some(0.25), "more"));
}

#[test]
fn one_status_alone_is_compared_only_where_it_is_asked_for() {
    let same = recording(|_, _| of_status(&[(200, 40)]));
    assert_eq!(statuses(&same, 3, std::iter::empty()), []);
    assert_eq!(statuses(&same, 3, [StatusRange::Class(5)].into_iter()), [StatusRange::Class(5)]);
    let several = recording(|_, arm| of_status(if arm == 2 { &[(304, 40)] } else { &[(200, 40)] }));
    let ranges = [StatusRange::One(200), StatusRange::One(304)];
    assert_eq!(statuses(&several, 3, [StatusRange::One(304)].into_iter()), ranges);
}
