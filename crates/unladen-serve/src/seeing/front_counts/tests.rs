use std::time::Duration;

use super::*;
use crate::seeing::tests::record;
use crate::{Reason, Reuse};

const MS: Duration = Duration::from_millis(1);

/// Answered by the front itself, from memory for instance.
fn unsent() -> Record<'static> {
    Record { attempts: 0, connected: None, first_byte: None, reuse: Reuse::None, ..record() }
}

fn fetch(took: Duration, status: u16, end: End) -> Record<'static> {
    Record { connected: Some(MS), total: MS + took, status, end, bytes_out: 1_000, ..record() }
}

#[test]
fn requests_are_counted_by_what_the_cache_did_and_why() {
    let counts = [FrontCounts::default(), FrontCounts::default()];
    counts[0].observe(&unsent(), (CacheResult::Hit, ""));
    counts[1].observe(&unsent(), (CacheResult::Hit, ""));
    counts[1].observe(&unsent(), (CacheResult::Stale, "max-stale"));
    counts[0].observe(&unsent(), (CacheResult::Miss, "private"));
    counts[0].observe(&record(), (CacheResult::Pass, "cookies"));
    counts[0].observe(&Record { end: End::Local(Reason::TooManyOfClient), ..unsent() }, (CacheResult::Own, ""));
    counts[0].observe(&Record { end: End::Local(Reason::ConnectFailed), ..unsent() }, (CacheResult::Pass, "cookies"));
    let totals = FrontTotals::of(&counts).unwrap();
    let rows: Vec<_> =
        totals.results.iter().map(|row| (row.result.as_str(), row.why, row.requests, row.bytes)).collect();
    let expected = [
        ("hit", "", 2, 952),
        ("stale", "max-stale", 1, 476),
        ("miss", "private", 1, 476),
        ("pass", "cookies", 2, 952),
        ("own", "too_many_of_client", 1, 476),
    ];
    assert_eq!(rows, expected);
    assert_eq!(totals.sum(CacheResult::is_saved), (3, 3 * 476));
    // Of the passes, one was sent.
    assert_eq!(totals.asked[1][0].count(), 1);
    assert_eq!((totals.asked[0], totals.bytes), ([HistogramTotals::default(); 3], 476));
    assert_eq!(FrontTotals::of([]), None);
}

#[test]
fn what_was_asked_for_several_is_told_by_what_came_of_it() {
    let counts = FrontCounts::default();
    counts.fetched(&fetch(40 * MS, 200, End::Answered));
    counts.fetched(&fetch(20 * MS, 404, End::Answered));
    counts.fetched(&fetch(3 * MS, 304, End::Answered));
    counts.fetched(&fetch(9 * MS, 503, End::Answered));
    counts.fetched(&fetch(8 * MS, 200, End::Broken(Reason::UpstreamClosed)));
    // Never sent.
    counts.fetched(&Record { end: End::Local(Reason::ConnectFailed), ..unsent() });
    let totals = FrontTotals::of([&counts]).unwrap();
    let fetched = totals.asked[0].map(|histogram| (histogram.count(), histogram.sum_ns));
    assert_eq!(fetched, [(2, 60_000_000), (1, 3_000_000), (2, 17_000_000)]);
    assert_eq!(totals.bytes, 5_000);
    // The protocol that a connection was handed to may go on for days.
    counts.observe(&Record { end: End::Upgraded, status: 101, ..record() }, (CacheResult::Pass, ""));
    assert_eq!(FrontTotals::of([&counts]).unwrap().asked[1], [HistogramTotals::default(); 3]);
}

#[test]
fn what_was_saved_is_what_it_would_have_taken_less_what_it_took() {
    let counts = FrontCounts::default();
    let saved = || FrontTotals::of([&counts]).unwrap().saved();
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
    let counts = FrontCounts::default();
    let words: Vec<&'static str> = (0..400).map(|n| &*Box::leak(format!("why-{n}").into_boxed_str())).collect();
    for _ in 0..2 {
        for result in CacheResult::ALL {
            for why in &words {
                counts.observe(&unsent(), (result, why));
            }
        }
    }
    let totals = FrontTotals::of([&counts]).unwrap();
    assert!(totals.results.len() <= ROWS, "{}", totals.results.len());
    for result in CacheResult::ALL {
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
    let counts = FrontCounts::default();
    for (result, why) in [(CacheResult::Hit, ""), (CacheResult::Validated, ""), (CacheResult::Miss, "private")] {
        let record = unsent();
        let start = crate::seeing::tests::cpu();
        for _ in 0..TIMES {
            counts.observe(std::hint::black_box(&record), std::hint::black_box((result, why)));
        }
        eprintln!("{:?} a {}", (crate::seeing::tests::cpu() - start) / TIMES, result.as_str());
    }
}
