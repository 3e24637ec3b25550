use super::*;

#[test]
fn one_that_waits_takes_a_connection_after_a_while_until_it_is_answered() {
    let unanswered = Arc::new(Unanswered::default());
    assert!(!unanswered.takes_one(1_000));
    let first = unanswered.begin(1_000);
    assert!(!unanswered.takes_one(1_000 + SOON - 1));
    assert!(unanswered.takes_one(1_000 + SOON));
    let second = unanswered.begin(2_000);
    assert!(unanswered.takes_one(2_000));
    drop(first);
    assert!(!unanswered.takes_one(2_000));
    assert!(unanswered.takes_one(2_000 + SOON));
    drop(second);
    assert!(!unanswered.takes_one(9_000));
    let _third = unanswered.begin(9_000);
    assert!(!unanswered.takes_one(9_000));
}

/// Each began before the one before it was answered, and it was taken for one that had waited since the first: from then
/// on no connection was kept, so that each request had a new one.
#[test]
fn requests_that_follow_each_other_closely_are_none_that_wait() {
    let unanswered = Arc::new(Unanswered::default());
    let mut last = unanswered.begin(0);
    for now in (SOON / 2..100 * SOON).step_by(SOON as usize / 2) {
        let next = unanswered.begin(now);
        drop(std::mem::replace(&mut last, next));
        assert!(!unanswered.takes_one(now));
    }
    assert_eq!(unanswered.waiting().due.len(), 1);
}

/// All that came back in the meantime were closed: one that waited had each request open a connection.
#[test]
fn each_that_waits_takes_one_connection_at_a_time() {
    let unanswered = Arc::new(Unanswered::default());
    let waits = [unanswered.begin(0), unanswered.begin(0), unanswered.begin(5)];
    assert_eq!((0..10).filter(|_| unanswered.takes_one(SOON)).count(), 2);
    assert_eq!((0..10).filter(|_| unanswered.takes_one(SOON + 5)).count(), 1);
    assert_eq!((0..10).filter(|_| unanswered.takes_one(3 * SOON)).count(), 2);
    drop(waits);
    assert!(!unanswered.takes_one(9_000));
}

/// A page of a minute would close a hundred connections a second.
#[test]
fn a_slow_page_takes_fewer_and_fewer_connections() {
    let unanswered = Arc::new(Unanswered::default());
    let slow = unanswered.begin(0);
    let taken = (0..60_000).filter(|now| unanswered.takes_one(*now)).count();
    assert!((60..70).contains(&taken), "{taken}");
    drop(slow);
    assert!(!unanswered.takes_one(90_000));
}

/// What was answered stayed in the list until the first of it was, and each look went through all of it.
#[test]
fn only_those_that_wait_are_held_whatever_else_is_slow() {
    let unanswered = Arc::new(Unanswered::default());
    let slow = unanswered.begin(0);
    for now in 0..1_000 {
        unanswered.takes_one(now);
        drop(unanswered.begin(now));
    }
    assert_eq!(unanswered.waiting().due.len(), 1);
    drop(slow);
    assert!(unanswered.waiting().due.is_empty());
}
