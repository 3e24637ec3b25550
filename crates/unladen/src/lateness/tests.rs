use std::time::Duration;

use proptest::prelude::*;

use super::*;

fn stretch(stolen_ms: u64, late_ms: u64) -> Stretch {
    let ms = Duration::from_millis;
    let times = MachineTimes {
        elapsed: ms(250),
        available: ms(500),
        busy: ms(250),
        stolen: ms(stolen_ms),
        ..Default::default()
    };
    Stretch { times, requests: 100, late_ns: late_ms * 1_000_000 }
}

#[test]
fn lateness_that_coincides_with_steal_is_the_hypervisors() {
    let mut stretches = vec![stretch(0, 3); 20];
    stretches[7] = stretch(120, 2_000);
    let because = because(&stretches).unwrap();
    assert!(because.share > 0.9, "{because:?}");
    // The stretch before may hold what was booked in the robbed one.
    assert_eq!(because.lasted, Duration::from_millis(500));
    assert!((because.taken.stolen_share - 0.12).abs() < 1e-9, "{because:?}");
}

#[test]
fn steal_that_is_booked_one_stretch_later_is_found() {
    let mut stretches = vec![stretch(0, 0); 20];
    (stretches[7], stretches[8]) = (stretch(0, 2_000), stretch(120, 0));
    assert!(because(&stretches).is_some());
}

#[test]
fn lateness_that_is_there_without_steal_too_is_not() {
    assert!(because(&[stretch(0, 500); 20]).is_none(), "no steal at all");
    let half: Vec<Stretch> = (0..40).map(|index| stretch(if index < 20 { 100 } else { 0 }, 500)).collect();
    assert!(because(&half).is_none(), "as late with steal as without");
    assert!(because(&[stretch(100, 0); 20]).is_none(), "nobody was late");
    assert!(because(&[]).is_none());
}

#[test]
fn steal_at_all_times_is_the_cause_of_what_is_late() {
    assert!(because(&[stretch(150, 300); 20]).is_some());
}

#[test]
fn a_quota_is_named_as_one() {
    let mut stretches = vec![stretch(0, 0); 20];
    stretches[3] = stretch(0, 900);
    stretches[3].times.throttled = Duration::from_millis(180);
    let because = because(&stretches).unwrap();
    assert_eq!((because.taken.stolen_share, because.taken.throttled), (0.0, Duration::from_millis(180)));
    assert!(because.to_string().contains("cpu.max"), "{because}");
}

#[test]
fn a_millisecond_is_punctual() {
    assert_eq!((beyond(1_000_000), beyond(1_500_000)), (0, 500_000));
}

proptest! {
    #[test]
    fn stretches_side_by_side_hold_each_request_once(
        planned in prop::collection::vec((0_u64..2_000_000_000_000, 0_u64..5_000_000), 0..200),
        mut cuts in prop::collection::vec(0_u64..2_000_000_000_000, 0..20),
    ) {
        let mut lateness = Lateness::default();
        planned.iter().for_each(|(planned, lag)| lateness.record(*planned, *lag));
        prop_assert!(lateness.slices.len() <= MOST_SLICES);
        cuts.sort_unstable();
        let cuts: Vec<Duration> = cuts.into_iter().map(Duration::from_nanos).chain([Duration::MAX]).collect();
        let mut from = Duration::ZERO;
        let mut sum = (0, 0);
        for to in cuts {
            let (requests, late) = lateness.between(from, to);
            sum = (sum.0 + requests, sum.1 + late);
            from = to;
        }
        let late: u64 = planned.iter().map(|(_, lag)| beyond(*lag)).sum();
        prop_assert_eq!(sum, (planned.len() as u64, late));
    }
}

#[test]
fn a_request_is_where_it_was_planned() {
    let mut lateness = Lateness::default();
    lateness.record(1_100_000_000, 5_000_000);
    let second = Duration::from_secs;
    assert_eq!(lateness.between(second(0), second(1)), (0, 0));
    assert_eq!(lateness.between(second(1), second(2)), (1, 4_000_000));
}

const MS: u64 = 1_000_000;

#[test]
fn what_is_late_is_told_by_the_latencies_that_it_would_show_beside() {
    let late = |median, p99| unfit(Generated { median, lag: Some((p99, None)), ..Generated::default() });
    assert!(late(Some(100 * MS), 5 * MS).is_empty(), "5 % of the median");
    assert!(matches!(late(Some(100 * MS), 6 * MS)[..], [Unfit::Late { limit, .. }] if limit == 5 * MS));
    assert!(late(Some(MS), MS).is_empty() && late(None, MS).is_empty(), "a millisecond is never late");
    assert_eq!((late(Some(MS), 2 * MS).len(), late(None, 2 * MS).len()), (1, 1));
}

#[test]
fn a_thread_is_busy_only_in_a_load_that_tells() {
    let ms = Duration::from_millis;
    let busy = |worked, sending| unfit(Generated { worked, sending, ..Generated::default() });
    assert!(matches!(busy(ms(95), ms(100))[..], [Unfit::Busy { taken: None, .. }]));
    assert!(busy(ms(90), ms(90)).is_empty() && busy(ms(80), ms(100)).is_empty());
}
