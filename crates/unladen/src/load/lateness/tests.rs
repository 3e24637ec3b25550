use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn stretches_side_by_side_hold_each_request_once(
        planned in prop::collection::vec((0_u64..2_000_000_000_000, 0_u64..5_000_000), 0..200),
        mut cuts in prop::collection::vec(0_u64..2_000_000_000_000, 0..20),
    ) {
        let mut lateness = Lateness::default();
        planned.iter().for_each(|(planned, lag)| lateness.record(*planned, *lag));
        prop_assert!(lateness.slices.len() <= MOST);
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
