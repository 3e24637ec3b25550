use proptest::prelude::*;

use super::*;

proptest! {
    /// Whatever way the time of a round trip goes, the truth is within the uncertainty.
    #[test]
    fn the_offset_is_within_its_uncertainty(
        true_offset in -1_000_000_000_000_i64..1_000_000_000_000,
        ways in prop::collection::vec((0..50_000_000_u64, 0..50_000_000_u64), 1..400),
    ) {
        let mut pings = Pings::default();
        let mut now = 2_000_000_000_000_u64;
        for (there, back) in &ways {
            let id = pings.send(now);
            let at = (i128::from(now + there) + i128::from(true_offset)) as u64;
            now += there + back;
            prop_assert!(pings.answer(id, at, now));
        }
        let offset = pings.offset(now).unwrap();
        let wrong = offset.offset_ns.abs_diff(true_offset);
        prop_assert!(wrong <= offset.uncertainty_ns, "off by {}, {:?}", wrong, offset);
        let trips = pings.round_trips().unwrap();
        prop_assert_eq!(trips.count, ways.len());
        prop_assert_eq!(trips.min_ns, ways.iter().map(|(a, b)| a + b).min().unwrap());
        prop_assert_eq!(trips.max_ns, ways.iter().map(|(a, b)| a + b).max().unwrap());
        prop_assert!(trips.min_ns <= trips.median_ns && trips.median_ns <= trips.max_ns);
    }
}

#[test]
fn an_answer_without_a_question_is_none() {
    let mut pings = Pings::default();
    let id = pings.send(100);
    assert!(!pings.answer(id + 1, 0, 200));
    assert!(pings.answer(id, 0, 200));
    assert!(!pings.answer(id, 0, 300), "a second time");
    assert_eq!(pings.count(), 1);
}

#[test]
fn an_old_ping_says_less_as_clocks_drift() {
    let mut pings = Pings::default();
    let quick = pings.send(0);
    pings.answer(quick, 1_000, 100);
    assert_eq!(pings.offset(100), Some(ClockOffset { offset_ns: 950, uncertainty_ns: 50 }));
    // A hundred seconds later, 10 ms of drift may have come.
    let late = 100_000_000_000;
    assert_eq!(pings.offset(late).unwrap().uncertainty_ns, 50 + 9_999_999);
    let slow = pings.send(late);
    pings.answer(slow, late + 2_000, late + 1_000_000);
    assert_eq!(pings.offset(late + 1_000_000).unwrap().uncertainty_ns, 500_000);
}

/// Answers may be late or lost; what waits for them is bounded.
#[test]
fn pings_without_answers_are_forgotten() {
    let mut pings = Pings::default();
    let first = pings.send(0);
    for _ in 0..KEPT {
        pings.send(1);
    }
    assert!(!pings.answer(first, 0, 2));
    assert_eq!(pings.round_trips(), None);
}
