use std::time::Duration;

use super::*;
use crate::observability::tests::{cpu, record};

const MS: Duration = Duration::from_millis(1);

#[test]
fn each_part_of_a_record_is_counted() {
    let shard = Shard::default();
    shard.client_opened();
    shard.client_opened();
    shard.client_closed();
    shard.begin();
    shard.begin();
    shard.end();
    shard.observe(&RequestAccount {
        reuse: Reuse::Resumed,
        attempts: 3,
        head: MS,
        connected: Some(8 * MS),
        first_byte: Some(30 * MS),
        total: 120 * MS,
        bytes_in: 5,
        bytes_out: 7,
        ..record()
    });
    let totals = Totals::of([&shard]);
    assert_eq!((totals.clients_open(), totals.in_flight()), (1, 1));
    assert_eq!((totals.attempts, totals.retries, totals.bytes_in, totals.bytes_out), (3, 2, 5, 7));
    assert_eq!((totals.reused(Reuse::Resumed), totals.handshakes_avoided()), (1, 0));
    assert_eq!(totals.versions, [0, 1, 0]);
    let [row] = &totals.kinds[..] else { panic!("{:?}", totals.kinds) };
    assert_eq!(row.kind, Kind { method: Method::Get, status: 200, end: End::Answered, rest: false });
    assert_eq!(row.server.sum_ns, 120_000_000);
    assert_eq!(row.client.sum_ns, 112_000_000);
    assert_eq!(totals.first_byte.sum_ns, 30_000_000);
    assert_eq!(totals.connect.sum_ns, 7_000_000);
}

#[test]
fn threads_are_added_up() {
    let shards = [Shard::default(), Shard::default()];
    shards[0].observe(&record());
    shards[1].observe(&record());
    shards[1].observe(&RequestAccount { status: 404, ..record() });
    let totals = Totals::of(&shards);
    assert_eq!(totals.by(|kind| Some(kind.status)), [(200, 2), (404, 1)].into());
    assert_eq!(totals.requests().count(), 3);
}

#[test]
fn what_was_never_sent_has_no_time_of_the_upstream() {
    let shard = Shard::default();
    shard.observe(&RequestAccount {
        status: 503,
        end: End::Local(Reason::BreakerOpen),
        attempts: 0,
        reuse: Reuse::None,
        connected: None,
        first_byte: None,
        upstream_version: None,
        endpoint: None,
        ..record()
    });
    let totals = Totals::of([&shard]);
    assert_eq!((totals.kinds[0].server.count(), totals.kinds[0].client.count()), (1, 0));
    assert_eq!((totals.first_byte.count(), totals.connect.count()), (0, 0));
    assert_eq!(totals.by(|kind| kind.reason().map(Reason::as_str)), [("breaker_open", 1)].into());
}

/// An upstream that answers with every status there can be, and a client that makes up methods.
#[test]
fn hostile_peers_fill_no_more_than_the_rows() {
    let shard = Shard::default();
    for status in 100..1000 {
        for method in [&b"GET"[..], b"POST", b"BREW"] {
            shard.observe(&RequestAccount { status, method, ..record() });
        }
    }
    shard.observe(&RequestAccount { end: End::Local(Reason::BreakerOpen), ..record() });
    let totals = Totals::of([&shard]);
    assert_eq!(totals.kinds.len(), KINDS + 2);
    assert_eq!(totals.requests().count(), 2701);
    let rest = totals.kinds.iter().filter(|row| row.kind.rest).map(|row| (row.kind.end, row.server.count()));
    assert_eq!(rest.collect::<Vec<_>>(), [(End::Answered, 2700 - KINDS as u64), (End::Local(Reason::BreakerOpen), 1)]);
}

/// A lower bound: whatever the order of kinds, each has one row.
#[test]
fn a_kind_has_one_row() {
    let shard = Shard::default();
    for _ in 0..10 {
        for status in 200..200 + KINDS as u16 {
            shard.observe(&RequestAccount { status, ..record() });
        }
    }
    let totals = Totals::of([&shard]);
    assert_eq!(totals.kinds.len(), KINDS);
    assert!(totals.kinds.iter().all(|row| row.server.count() == 10 && !row.kind.rest));
}

/// Not a bound that is asserted: timings are not. `cargo test --release -- --ignored --nocapture what_it_costs` prints
/// it.
#[test]
#[ignore = "prints a time"]
fn what_it_costs() {
    let shard = Shard::default();
    let record = record();
    for _ in 0..3 {
        const TIMES: u32 = 10_000_000;
        let start = cpu();
        for _ in 0..TIMES {
            shard.observe(std::hint::black_box(&record));
        }
        eprintln!("{:?} a record", (cpu() - start) / TIMES);
    }
}

#[test]
fn what_is_sampled_is_an_example_and_nothing_is_kept_of_the_rest() {
    use crate::Trace;
    let shard = Shard::default();
    let trace = Trace { trace_id: [7; 16], parent_id: None, span_id: [8; 8], sampled: false };
    shard.observe(&RequestAccount { trace: Some(trace), ..record() });
    shard.observe(&RequestAccount { trace: None, ..record() });
    let rows = || shard.rows.0.iter().filter_map(OnceLock::get);
    assert!(rows().all(|row| row.examples.get().is_none()));
    shard.observe(&RequestAccount { trace: Some(Trace { sampled: true, ..trace }), ..record() });
    let totals = Totals::of([&shard]);
    let [row] = &totals.kinds[..] else { panic!("{:?}", totals.kinds) };
    for (exemplars, counted) in [(&row.server_exemplars, row.server), (&row.client_exemplars, row.client)] {
        let all: Vec<_> =
            exemplars.as_deref().unwrap().iter().enumerate().filter_map(|(i, one)| Some((i, (*one)?))).collect();
        let [(bucket, exemplar)] = all[..] else { panic!("{all:?}") };
        assert_eq!((counted.buckets[bucket], exemplar.trace_id, exemplar.span_id), (3, [7; 16], [8; 8]));
        assert_eq!(exemplar.ns * 3, counted.sum_ns);
    }
    // What is looked at each two seconds has none.
    assert!(Totals::without_misses([&shard]).kinds.iter().all(|row| row.server_exemplars.is_none()));
}
