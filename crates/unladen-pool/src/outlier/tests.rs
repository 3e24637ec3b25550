use proptest::prelude::*;

use super::*;
use crate::endpoint::Address;

fn endpoints(count: usize) -> Vec<Arc<Endpoint>> {
    (0..count).map(|_| Arc::new(Endpoint::new(Address::Tcp(Vec::new()), 0, 1))).collect()
}

fn outliers() -> Outliers {
    Outliers::new(OutlierSettings::default())
}

/// Failures until it is out; for how many seconds.
fn eject(outliers: &Outliers, all: &[Arc<Endpoint>], index: usize, now_ms: u64) -> Option<u64> {
    (0..5).find_map(|_| outliers.failure(&all[index], all, now_ms)).map(|length| length.as_secs())
}

#[test]
fn failures_in_a_row_take_it_out_and_a_success_between_them_does_not() {
    let (outliers, all) = (outliers(), endpoints(2));
    for _ in 0..4 {
        assert_eq!(outliers.failure(&all[0], &all, 0), None);
    }
    outliers.success(&all[0]);
    for _ in 0..4 {
        assert_eq!(outliers.failure(&all[0], &all, 0), None);
    }
    assert_eq!(outliers.failure(&all[0], &all, 0), Some(Duration::from_secs(10)));
    assert!(!all[0].is_available(9_999));
    assert!(all[0].is_available(10_000));
    assert_eq!(outliers.failure(&all[0], &all, 5), None, "sent before it was taken out");
    assert_eq!(all[0].failures.load(Ordering::Relaxed), 0, "it starts anew");
}

#[test]
fn each_time_is_longer_up_to_a_bound_and_good_times_are_forgiven() {
    let (outliers, all) = (outliers(), endpoints(2));
    let mut now = 0;
    for expected in (1..=30).map(|times| times * 10).chain([300, 300]) {
        assert_eq!(eject(&outliers, &all, 0, now), Some(expected));
        now += expected * 1_000;
    }
    // 32 times out; 29 times ten seconds later it is in its fourth.
    now += 290_000;
    assert_eq!(eject(&outliers, &all, 0, now), Some(40));
    now += 1_000_000_000;
    assert_eq!(eject(&outliers, &all, 0, now), Some(10));
}

#[test]
fn no_more_than_the_share_is_out_and_never_the_only_one() {
    for (all, share, most) in
        [(1, 0.5, 0), (1, 1.0, 0), (2, 0.1, 1), (3, 0.5, 1), (4, 0.5, 2), (4, 1.0, 3), (4, 0.0, 0)]
    {
        let outliers = Outliers::new(OutlierSettings { max_share: share, ..OutlierSettings::default() });
        let all = endpoints(all);
        let out = (0..all.len()).filter(|index| eject(&outliers, &all, *index, 0).is_some()).count();
        assert_eq!(out, most, "of {} with {share}", all.len());
    }
}

#[test]
fn one_that_had_to_stay_goes_with_its_next_failure_once_there_is_room() {
    let (outliers, all) = (outliers(), endpoints(2));
    assert!(eject(&outliers, &all, 0, 0).is_some());
    assert!(eject(&outliers, &all, 1, 0).is_none());
    assert_eq!(outliers.failure(&all[1], &all, 10_000), Some(Duration::from_secs(10)));
}

proptest! {
    #[test]
    fn enough_are_left_whatever_happens(
        count in 1_usize..6,
        max_share in 0.0_f64..=1.0,
        steps in prop::collection::vec((0_usize..6, prop::bool::weighted(0.8), 0_u64..3_000), 0..400),
    ) {
        let outliers = Outliers::new(OutlierSettings { max_share, consecutive: 3, ..OutlierSettings::default() });
        let all = endpoints(count);
        let mut in_a_row = vec![0; count];
        let mut now = 0;
        for (index, fails, pause) in steps {
            now += pause;
            let index = index % count;
            let was_out = !all[index].is_available(now);
            let ejected = if fails { outliers.failure(&all[index], &all, now) } else {
                outliers.success(&all[index]);
                None
            };
            in_a_row[index] = match (fails, was_out) {
                (false, _) => 0,
                (true, true) => in_a_row[index],
                (true, false) => in_a_row[index] + 1,
            };
            let out = all.iter().filter(|endpoint| !endpoint.is_available(now)).count();
            prop_assert!(out < count);
            prop_assert!(out as f64 <= (max_share * count as f64).max(1.0));
            if let Some(length) = ejected {
                prop_assert!(in_a_row[index] >= 3 && !was_out);
                prop_assert!(length >= Duration::from_secs(10) && length <= Duration::from_secs(300));
                prop_assert!(!all[index].is_available(now + length.as_millis() as u64 - 1));
                prop_assert!(all[index].is_available(now + length.as_millis() as u64));
                in_a_row[index] = 0;
            }
        }
    }
}
