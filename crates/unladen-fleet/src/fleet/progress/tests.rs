//! Tests of what a lease comes from.

use std::time::Duration;

use super::*;

fn at(epoch: &str, index: u64) -> Position {
    Position::new(epoch, index).unwrap()
}

/// In an hour: no test waits for it.
fn later() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

#[test]
fn a_lease_is_renewed_once_the_end_of_its_beat_is_forgotten() {
    let (mut progress, lease) = (Progress::default(), Lease::default());
    assert!(progress.begin(0, at("a", 5), Instant::now(), &lease));
    assert!(!lease.holds(Instant::now()), "it is in no list yet");
    progress.beaten(at("a", 7), later(), &lease);
    assert_eq!(progress.lag(), 2);
    progress.advance(0, at("a", 6), &lease);
    assert!(!lease.holds(Instant::now()), "one is missing");
    progress.advance(0, at("a", 7), &lease);
    assert!(lease.holds(Instant::now()));
    assert_eq!(progress.lag(), 0);
}

#[test]
fn the_end_of_another_history_renews_nothing() {
    let (mut progress, lease) = (Progress::default(), Lease::default());
    progress.begin(0, at("a", 5), Instant::now(), &lease);
    progress.beaten(at("b", 1), later(), &lease);
    progress.advance(0, at("a", 9), &lease);
    assert!(!lease.holds(Instant::now()));
    // Until it has begun there, and doubts what it has stored.
    progress.begin(0, at("b", 1), Instant::now(), &lease);
    assert!(lease.holds(Instant::now()));
}

#[test]
fn going_back_ends_the_lease_until_it_is_read_again() {
    let (mut progress, lease) = (Progress::default(), Lease::default());
    progress.begin(0, at("a", 5), Instant::now(), &lease);
    progress.beaten(at("a", 5), later(), &lease);
    assert!(lease.holds(Instant::now()));
    progress.rewind(Some(at("a", 3)), &lease);
    assert!(!lease.holds(Instant::now()));
    assert_eq!(progress.start(), (1, Some(at("a", 3))));
    // What was read meanwhile is of before.
    assert!(!progress.advance(0, at("a", 6), &lease));
    progress.beaten(at("a", 6), later(), &lease);
    assert!(progress.advance(1, at("a", 6), &lease));
    assert!(lease.holds(Instant::now()));
    // It never goes forward by it.
    progress.rewind(Some(at("a", 60)), &lease);
    assert_eq!(progress.start(), (2, Some(at("a", 6))));
}

#[test]
fn what_is_not_known_is_begun_anew() {
    for to in [None, Some(at("other", 3))] {
        let (mut progress, lease) = (Progress::default(), Lease::default());
        progress.begin(0, at("a", 5), Instant::now(), &lease);
        progress.rewind(to, &lease);
        assert_eq!(progress.start(), (1, None));
        // Nor does anything later bring it back.
        progress.rewind(Some(at("a", 1)), &lease);
        assert_eq!(progress.start(), (2, None));
    }
}

#[test]
fn memory_taken_over_before_anything_was_read_says_where_to_begin() {
    let (mut progress, lease) = (Progress::default(), Lease::default());
    progress.rewind(Some(at("a", 3)), &lease);
    assert_eq!(progress.start(), (1, Some(at("a", 3))));
    progress.rewind(Some(at("a", 2)), &lease);
    assert_eq!(progress.start(), (2, Some(at("a", 2))), "of two sites, the earlier one");
    progress.rewind(None, &lease);
    assert_eq!(progress.start(), (3, None));
}
