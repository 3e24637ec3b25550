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
    assert_eq!(unanswered.begun().times.len(), 1);
}

/// All that came back in the meantime were closed: one that waited had each request open a connection.
#[test]
fn each_that_waits_takes_one_connection_at_a_time() {
    let unanswered = Arc::new(Unanswered::default());
    let waits = [unanswered.begin(0), unanswered.begin(0), unanswered.begin(5)];
    assert_eq!((0..10).filter(|_| unanswered.takes_one(SOON)).count(), 2);
    assert_eq!((0..10).filter(|_| unanswered.takes_one(SOON + 5)).count(), 1);
    assert_eq!((0..10).filter(|_| unanswered.takes_one(2 * SOON)).count(), 2);
    drop(waits);
    assert!(!unanswered.takes_one(9_000));
}

#[test]
fn one_that_is_answered_before_an_older_one_leaves_that_waiting() {
    let unanswered = Arc::new(Unanswered::default());
    let old = unanswered.begin(0);
    drop(unanswered.begin(1));
    assert!(unanswered.takes_one(SOON));
    drop(old);
    assert!(unanswered.begun().times.is_empty());
    assert_eq!(unanswered.begun().first, 2);
}
