use proptest::prelude::*;

use super::*;

const DAY: u64 = 24 * 3600;
const NOW: u64 = 1_790_000_000;

fn quarter() -> Lifetime {
    Lifetime { not_before: NOW, not_after: NOW + 90 * DAY }
}

/// Steps through the life of a certificate, hour by hour: when it is ordered, and how often the authority is asked.
fn ordered_at(
    schedule: &mut Schedule,
    lifetime: Lifetime,
    hours: u64,
    window: Option<(u64, u64)>,
) -> (Option<u64>, u32) {
    let mut asked = 0;
    for now in (0..hours).map(|hour| lifetime.not_before + hour * 3600) {
        while schedule.step(now, Some((lifetime, "id", 7))) == Step::Ask {
            asked += 1;
            match window {
                Some(window) => schedule.suggested(now, "id", window, 6 * 3600, 0.5),
                None => schedule.not_suggested(now, false),
            }
        }
        if schedule.step(now, Some((lifetime, "id", 7))) == Step::Order {
            return (Some(now), asked);
        }
    }
    (None, asked)
}

#[test]
fn what_is_not_there_is_ordered_at_once() {
    assert_eq!(Schedule::default().step(NOW, None), Step::Order);
}

#[test]
fn without_a_suggestion_it_is_renewed_at_two_thirds() {
    let (at, asked) = ordered_at(&mut Schedule::default(), quarter(), 90 * 24, None);
    let day = (at.unwrap() - NOW) / DAY;
    assert!((60..=63).contains(&day), "day {day}");
    // Once a day whether there is a suggestion by now.
    assert!((58..=64).contains(&asked), "{asked}");
}

#[test]
fn a_short_life_is_renewed_in_time() {
    let six_days = Lifetime { not_before: NOW, not_after: NOW + 6 * DAY };
    let (at, _) = ordered_at(&mut Schedule::default(), six_days, 6 * 24, None);
    let hours = (at.unwrap() - NOW) / 3600;
    assert!((96..=102).contains(&hours), "{hours} hours");
}

#[test]
fn the_authority_decides_when() {
    let window = (NOW + 20 * DAY, NOW + 22 * DAY);
    let (at, asked) = ordered_at(&mut Schedule::default(), quarter(), 90 * 24, Some(window));
    assert_eq!((at.unwrap() - NOW) / DAY, 21, "the middle, as it was drawn");
    assert!((80..=90).contains(&asked), "every six hours: {asked}");
}

#[test]
fn a_window_that_is_over_means_now() {
    let mut schedule = Schedule::default();
    schedule.suggested(NOW + DAY, "id", (NOW - DAY, NOW), 3600, 0.9);
    assert_eq!(schedule.step(NOW + DAY, Some((quarter(), "id", 7))), Step::Order);
}

#[test]
fn a_window_is_drawn_in_once_until_it_changes() {
    let mut schedule = Schedule::default();
    let window = (NOW, NOW + 10 * DAY);
    schedule.suggested(NOW, "id", window, 3600, 0.9);
    let drawn = schedule.suggestion.clone();
    schedule.suggested(NOW + 3600, "id", window, 3600, 0.1);
    assert_eq!(schedule.suggestion, drawn);
    schedule.suggested(NOW + 7200, "id", (NOW, NOW + DAY), 3600, 0.5);
    assert_eq!(schedule.suggestion.unwrap().at, NOW + DAY / 2);
}

/// So often it is ordered within some days, each time with success.
fn orders_that_succeed(days: u64, lifetime: impl Fn(u64) -> Lifetime, window: Option<fn(u64) -> (u64, u64)>) -> u32 {
    let (mut schedule, mut orders, mut held) = (Schedule::default(), 0, None::<Lifetime>);
    for now in (0..days * 24 * 60).map(|minute| NOW + minute * 60) {
        match schedule.step(now, held.map(|lifetime| (lifetime, "id", 7))) {
            Step::Order => {
                schedule.succeeded(now);
                held = Some(lifetime(now));
                orders += 1;
            }
            Step::Ask => match window {
                Some(window) => schedule.suggested(now, "id", window(now), 6 * 3600, 0.5),
                None => schedule.not_suggested(now, false),
            },
            Step::Wait(_) => {}
        }
    }
    orders
}

#[test]
fn a_fresh_certificate_that_is_due_already_is_not_ordered_again_and_again() {
    // This machine's clock is fast by more than two thirds of a life.
    let fast = |now| Lifetime { not_before: now - 65 * DAY, not_after: now + 25 * DAY };
    assert_eq!(orders_that_succeed(4, fast, None), 4);
    // The authority's window is always over.
    let life = |now| Lifetime { not_before: now, not_after: now + 90 * DAY };
    assert_eq!(orders_that_succeed(4, life, Some(|now| (now - 2 * DAY, now - DAY))), 4);
    let short = |now| Lifetime { not_before: now, not_after: now + 60 * 60 * 10 };
    assert!((20..=24).contains(&orders_that_succeed(1, short, Some(|now| (now - 9, now - 5)))));
}

#[test]
fn a_name_that_was_added_after_a_success_is_ordered_at_once() {
    let mut schedule = Schedule::default();
    schedule.succeeded(NOW);
    assert_eq!(schedule.step(NOW + 1, None), Step::Order);
}

#[test]
fn a_success_in_the_future_as_of_a_wrong_clock_does_not_stop_renewals() {
    let mut schedule = Schedule::default();
    schedule.succeeded(NOW + 3650 * DAY);
    schedule.ask = u64::MAX;
    assert_eq!(schedule.step(NOW + 81 * DAY, Some((quarter(), "id", 7))), Step::Order);
}

#[test]
fn a_suggestion_for_another_certificate_is_none_for_this() {
    let mut schedule = Schedule::default();
    schedule.suggested(NOW, "before", (NOW - 2, NOW - 1), 3600, 0.5);
    assert!(matches!(schedule.step(NOW, Some((quarter(), "id", 7))), Step::Wait(_)));
}

#[test]
fn a_suggestion_after_the_end_of_the_life_is_not_waited_for() {
    let mut schedule = Schedule::default();
    schedule.suggested(NOW, "id", (NOW + 100 * DAY, NOW + 101 * DAY), u64::MAX, 0.5);
    schedule.ask = NOW + 200 * DAY;
    assert_eq!(schedule.step(NOW + 81 * DAY, Some((quarter(), "id", 7))), Step::Order);
}

#[test]
fn a_window_that_ends_before_it_begins_is_none() {
    let mut schedule = Schedule::default();
    schedule.suggested(NOW, "id", (NOW + 5, NOW + 5), 3600, 0.5);
    assert_eq!(schedule.suggestion, None);
}

#[test]
fn no_more_than_five_orders_fail_within_an_hour() {
    let mut schedule = Schedule::default();
    let mut failed = Vec::new();
    for now in NOW..NOW + 48 * 3600 {
        if schedule.step(now, None) == Step::Order {
            schedule.begin(now, 0.0);
            schedule.failed(now, "no".into(), None, 0.0);
            failed.push(now);
        }
    }
    for (first, sixth) in failed.iter().zip(&failed[5..]) {
        assert!(sixth - first >= 3600, "six within {} s", sixth - first);
    }
    assert!((10..=14).contains(&failed.len()), "{}", failed.len());
}

#[test]
fn a_process_that_dies_over_and_over_in_an_order_does_not_come_again_at_once() {
    let mut schedule = Schedule::default();
    schedule.begin(NOW, 0.0);
    assert_eq!(schedule.step(NOW + 1, None), Step::Wait(NOW + 60));
    schedule.interrupted(NOW + 1);
    assert_eq!(schedule.step(NOW + 2, None), Step::Wait(NOW + 11));
}

#[test]
fn an_authority_is_not_asked_again_before_it_says() {
    let mut schedule = Schedule::default();
    schedule.failed(NOW, "rateLimited".into(), Some(NOW + 3 * DAY), 0.0);
    assert_eq!(schedule.step(NOW + DAY, None), Step::Wait(NOW + 3 * DAY));
    // One that says "in a hundred years" is asked in some days.
    schedule.failed(NOW, "rateLimited".into(), Some(NOW + 36_500 * DAY), 0.0);
    assert_eq!(schedule.step(NOW, None), Step::Wait(NOW + LONGEST));
}

#[test]
fn while_orders_fail_the_suggestion_is_not_asked_for_either() {
    let mut schedule = Schedule::default();
    schedule.failed(NOW + 70 * DAY, "no".into(), None, 0.0);
    assert!(matches!(schedule.step(NOW + 70 * DAY, Some((quarter(), "id", 7))), Step::Wait(_)));
}

proptest! {
    #[test]
    fn every_life_is_renewed_before_its_end(
        length in 10_u64..400 * DAY,
        spread in any::<u64>(),
        start in 0_u64..800 * DAY,
        width in 0_u64..30 * DAY,
        draw in 0.0_f64..1.0,
        is_suggested in any::<bool>(),
    ) {
        let lifetime = Lifetime { not_before: NOW, not_after: NOW + length };
        let mut schedule = Schedule::default();
        if is_suggested {
            schedule.suggested(NOW, "id", (NOW + start, NOW + start + width), 3600, draw);
        }
        schedule.ask = u64::MAX;
        let last = lifetime.not_after - length / 10;
        prop_assert_eq!(schedule.step(last, Some((lifetime, "id", spread))), Step::Order);
    }

    #[test]
    fn a_wait_is_in_the_future_and_an_order_never_before_it_is_allowed(
        now in NOW..NOW + 100 * DAY,
        not_until in NOW..NOW + 100 * DAY,
        ask in NOW..NOW + 100 * DAY,
        failures in 0_u32..40,
    ) {
        let schedule = Schedule { failures, not_until, ask, ..Schedule::default() };
        match schedule.step(now, Some((quarter(), "id", 3))) {
            Step::Wait(until) => prop_assert!(until > now),
            Step::Order | Step::Ask => prop_assert!(not_until <= now),
        }
    }
}
