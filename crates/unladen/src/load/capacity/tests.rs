use super::*;

const MS: u64 = 1_000_000;

/// p95 of 8 ms below a limit of 100 ms, and 1.4 ms of lag: nothing that the lag could have changed.
#[test]
fn lateness_that_could_change_no_verdict_ends_no_search() {
    let held = verdict(Some((8 * MS, Some((7 * MS, 9 * MS)))), 100 * MS, 0);
    assert_eq!(held, (Some(true), None));
    let broken = verdict(Some((140 * MS, Some((120 * MS, 160 * MS)))), 100 * MS, 0);
    assert_eq!(broken, (Some(false), Some(20 * MS)), "20 ms less would be another verdict, 1.4 ms less is none");
}

#[test]
fn lateness_that_could_have_broken_the_limit_is_the_generators() {
    assert_eq!(verdict(Some((9 * MS, Some((8 * MS + 1, 10 * MS)))), 8 * MS, 0), (Some(false), Some(1)));
    assert_eq!(verdict(Some((8 * MS, Some((7 * MS, 9 * MS)))), 8 * MS, 0), (None, Some(MS)));
    assert_eq!(verdict(Some((9 * MS, None)), 8 * MS, 0), (Some(false), Some(MS)));
    assert_eq!(verdict(Some((9 * MS, Some((9 * MS, 9 * MS)))), 8 * MS, 3), (Some(false), None), "requests failed");
    assert_eq!(verdict(None, 8 * MS, 0), (None, None));
}

/// A rate "broke" a limit that its latencies were far below, and nothing said that most requests had not been sent.
#[test]
fn requests_that_were_never_sent_have_failed_too() {
    let refused = || std::iter::once((60, "429"));
    assert_eq!(most_of_what_failed(std::iter::empty(), 0, 0), None);
    assert_eq!(most_of_what_failed(refused(), 9, 0).as_deref(), Some("429"));
    let unsent = most_of_what_failed(refused(), 61, 0).unwrap();
    assert!(unsent.starts_with("never sent: as many requests as --concurrency allows"), "{unsent}");
}
