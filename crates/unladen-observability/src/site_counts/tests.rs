use std::time::Duration;

use super::*;
use crate::observability::tests::record;
use crate::{Reason, Reuse};

const MS: Duration = Duration::from_millis(1);

/// Answered by the site itself, from memory for instance.
fn unsent() -> RequestAccount<'static> {
    RequestAccount { attempts: 0, connected: None, first_byte: None, reuse: Reuse::None, ..record() }
}

fn fetch(took: Duration, status: u16, end: End) -> RequestAccount<'static> {
    RequestAccount { connected: Some(MS), total: MS + took, status, end, bytes_out: 1_000, ..record() }
}

#[test]
fn requests_are_counted_by_what_the_cache_did_and_why() {
    let counts = [SiteCounts::default(), SiteCounts::default()];
    counts[0].observe(&unsent(), (CacheResult::Hit, ""));
    counts[1].observe(&unsent(), (CacheResult::Hit, ""));
    counts[1].observe(&unsent(), (CacheResult::Stale, "max-stale"));
    counts[0].observe(&unsent(), (CacheResult::Miss, "private"));
    counts[0].observe(&record(), (CacheResult::Pass, "cookies"));
    counts[0].observe(&RequestAccount { end: End::Local(Reason::TooManyOfClient), ..unsent() }, (CacheResult::Own, ""));
    counts[0].observe(
        &RequestAccount { end: End::Local(Reason::ConnectFailed), ..unsent() },
        (CacheResult::Pass, "cookies"),
    );
    let totals = SiteTotals::of(&counts).unwrap();
    let rows: Vec<_> =
        totals.results.iter().map(|row| (row.result.into_str(), row.why, row.requests, row.bytes)).collect();
    let expected = [
        ("hit", "", 2, 952),
        ("stale", "max-stale", 1, 476),
        ("miss", "private", 1, 476),
        ("pass", "cookies", 2, 952),
        ("local_reply", "too_many_of_client", 1, 476),
    ];
    assert_eq!(rows, expected);
    assert_eq!(totals.sum(CacheResult::is_saved), (3, 3 * 476));
    // Of the passes, one was sent.
    assert_eq!(totals.asked[1][0].count(), 1);
    assert_eq!((totals.asked[0], totals.bytes), ([HistogramTotals::default(); 3], 476));
    assert_eq!(SiteTotals::of([]), None);
}

#[test]
fn what_was_asked_for_several_is_told_by_what_came_of_it() {
    let counts = SiteCounts::default();
    counts.fetched(&fetch(40 * MS, 200, End::Answered));
    counts.fetched(&fetch(20 * MS, 404, End::Answered));
    counts.fetched(&fetch(3 * MS, 304, End::Answered));
    counts.fetched(&fetch(9 * MS, 503, End::Answered));
    counts.fetched(&fetch(8 * MS, 200, End::Broken(Reason::UpstreamClosed)));
    // Never sent.
    counts.fetched(&RequestAccount { end: End::Local(Reason::ConnectFailed), ..unsent() });
    let totals = SiteTotals::of([&counts]).unwrap();
    let fetched = totals.asked[0].map(|histogram| (histogram.count(), histogram.sum_ns));
    assert_eq!(fetched, [(2, 60_000_000), (1, 3_000_000), (2, 17_000_000)]);
    assert_eq!(totals.bytes, 5_000);
    // The protocol that a connection was handed to may go on for days.
    counts.observe(&RequestAccount { end: End::Upgraded, status: 101, ..record() }, (CacheResult::Pass, ""));
    assert_eq!(SiteTotals::of([&counts]).unwrap().asked[1], [HistogramTotals::default(); 3]);
}

#[test]
fn what_was_saved_is_what_it_would_have_taken_less_what_it_took() {
    let counts = SiteCounts::default();
    let saved = || SiteTotals::of([&counts]).unwrap().saved();
    counts.observe(&unsent(), (CacheResult::Hit, ""));
    // Nobody knows what it would have taken.
    assert_eq!(saved(), Duration::ZERO);
    counts.observe(&unsent(), (CacheResult::Miss, ""));
    counts.fetched(&fetch(40 * MS, 200, End::Answered));
    assert_eq!(saved(), 40 * MS);
    for result in [CacheResult::Validated, CacheResult::Collapsed, CacheResult::Stale] {
        counts.observe(&unsent(), (result, ""));
    }
    assert_eq!(saved(), 160 * MS);
    // What was asked and not rendered saves what it did not take.
    counts.observe(&unsent(), (CacheResult::Revalidated, ""));
    counts.fetched(&fetch(10 * MS, 304, End::Answered));
    assert_eq!(saved(), 190 * MS);
    // These would have been asked for anyway.
    counts.observe(&record(), (CacheResult::Pass, "cookies"));
    counts.observe(&unsent(), (CacheResult::Own, ""));
    assert_eq!(saved(), 190 * MS);
    // Fetches that nobody waits for cost more than they save.
    for _ in 0..100 {
        counts.fetched(&fetch(39 * MS, 500, End::Answered));
    }
    assert_eq!(saved(), Duration::ZERO);
}

#[test]
fn more_reasons_than_there_are_rows_are_counted_as_others() {
    let counts = SiteCounts::default();
    let words: Vec<&'static str> = (0..400).map(|n| &*Box::leak(format!("why-{n}").into_boxed_str())).collect();
    for _ in 0..2 {
        for &result in CacheResult::ALL {
            for why in &words {
                counts.observe(&unsent(), (result, why));
            }
        }
    }
    let totals = SiteTotals::of([&counts]).unwrap();
    assert!(totals.results.len() <= ROWS, "{}", totals.results.len());
    for &result in CacheResult::ALL {
        assert_eq!(totals.sum(|other| other == result).0, 800, "{result:?}");
        let other = totals.results.iter().find(|row| row.result == result && row.why == OTHER).unwrap();
        assert!(other.requests > 0);
    }
}

/// `cargo test --release -- --ignored --nocapture what_a_hit_costs`.
#[test]
#[ignore = "prints a time"]
fn what_a_hit_costs() {
    const TIMES: u32 = 10_000_000;
    let counts = SiteCounts::default();
    for (result, why) in [(CacheResult::Hit, ""), (CacheResult::Validated, ""), (CacheResult::Miss, "private")] {
        let record = unsent();
        let start = crate::observability::tests::cpu();
        for _ in 0..TIMES {
            counts.observe(std::hint::black_box(&record), std::hint::black_box((result, why)));
        }
        eprintln!("{:?} a {}", (crate::observability::tests::cpu() - start) / TIMES, result.into_str());
    }
}
