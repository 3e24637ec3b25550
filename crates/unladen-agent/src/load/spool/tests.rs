use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};

use unladen_load::RequestRecord;

use super::*;

/// Far above what anything here takes.
const LONG: Duration = Duration::from_secs(60);

fn record(number: u64) -> RequestRecord {
    RequestRecord {
        request: 0,
        planned_ns: number * 1_000_000,
        lag_ns: Some(2_000),
        sent_ns: Some(2_500),
        first_byte_ns: Some(900_000),
        latency_ns: 1_000_000 + number,
        status: Some(200),
        body_bytes: 17,
        reused: true,
        retried: false,
        changed: false,
        error: None,
    }
}

fn batch(first: u64) -> RecordBatch {
    let mut batch = RecordBatch::default();
    (first..first + 10).for_each(|number| batch.push(&record(number)));
    batch
}

fn planned(answers: &Receiver<LoadAnswer>) -> Vec<u64> {
    let of = |answer| match answer {
        LoadAnswer::Records(batch) => batch.records().unwrap(),
        _ => Vec::new(),
    };
    answers.try_iter().flat_map(of).map(|record| record.planned_ns / 1_000_000).collect()
}

#[test]
fn a_request_is_told_or_counted_and_never_both() {
    let room = 5 * batch(0).size();
    let spool = Spool::new(room);
    for first in (0..200).step_by(10) {
        spool.put_records(batch(first));
        assert!(spool.lock().bytes <= room);
    }
    let (send, answers) = sync_channel(100);
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(spool.send_all(&|answer| send.send(answer).is_ok())));
        spool.drain(LONG, LONG, &Cancel::new());
    });
    let told = planned(&answers);
    // What came first, as it came; batches of larger numbers are larger.
    assert!((30..=50).contains(&told.len()), "{told:?}");
    assert_eq!(told, (0..told.len() as u64).collect::<Vec<_>>());
    let summary = spool.summary();
    assert_eq!(summary.recorded, 200 - told.len() as u64);
    let mut counted = RecordSummary::default();
    (told.len() as u64..200).for_each(|number| counted.add(&record(number)));
    assert_eq!(summary, counted);
}

/// A way that takes nothing after its first message.
fn stuck(spool: &Spool, most: Duration, once_cancelled: Duration, cancel: &Cancel) -> Vec<u64> {
    let (send, answers) = sync_channel(100);
    let is_stuck = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let (held, goes_on) = sync_channel::<()>(0);
        let is_stuck = &is_stuck;
        scope.spawn(move || {
            spool.send_all(&|answer| {
                send.send(answer).unwrap();
                is_stuck.store(true, Ordering::Release);
                // Until the sender is dropped.
                let _ = goes_on.recv();
                true
            })
        });
        while !is_stuck.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        spool.drain(most, once_cancelled, cancel);
        drop(held);
    });
    planned(&answers)
}

#[test]
fn what_a_way_does_not_take_in_time_is_counted() {
    let spool = Spool::new(1 << 20);
    (0..50).step_by(10).for_each(|first| spool.put_records(batch(first)));
    let told = stuck(&spool, Duration::from_millis(30), LONG, &Cancel::new());
    assert_eq!(told, (0..10).collect::<Vec<_>>());
    assert_eq!(spool.summary().recorded, 40);
}

#[test]
fn whoever_gives_a_load_up_does_not_wait_for_a_way_that_takes_nothing() {
    let (spool, cancel) = (Spool::new(1 << 20), Cancel::new());
    (0..50).step_by(10).for_each(|first| spool.put_records(batch(first)));
    cancel.cancel();
    let told = stuck(&spool, LONG, Duration::ZERO, &cancel);
    assert_eq!((told.len(), spool.summary().recorded), (10, 40));
}

#[test]
fn nothing_is_waited_for_once_nobody_takes_it() {
    let spool = Spool::new(1 << 20);
    (0..50).step_by(10).for_each(|first| spool.put_records(batch(first)));
    assert!(!spool.send_all(&|_| false));
    spool.drain(LONG, LONG, &Cancel::new());
    assert_eq!(spool.summary().recorded, 40, "one batch was taken");
}

#[test]
fn what_the_machine_did_while_the_way_took_nothing_is_told_in_one() {
    let spool = Spool::new(1 << 20);
    let times = |ms| MachineTimes { elapsed: Duration::from_millis(ms), ..MachineTimes::default() };
    spool.put_records(batch(0));
    for (end_ns, ms) in [(1_000, 3), (2_000, 4)] {
        assert!(spool.put(LoadAnswer::Look { end_ns, times: (&times(ms)).into() }));
    }
    spool.keep(3_000, (&times(5)).into());
    stuck(&spool, Duration::from_millis(30), LONG, &Cancel::new());
    let Some(LoadAnswer::Look { end_ns, times: told }) = spool.untold() else { panic!("nothing is told") };
    assert_eq!((end_ns, MachineTimes::from(told).elapsed), (3_000, Duration::from_millis(12)));
}

#[test]
fn what_the_machine_did_is_told_once() {
    let spool = Spool::new(1 << 20);
    assert!(spool.put(LoadAnswer::Look { end_ns: 1, times: FarTimes::default() }));
    stuck(&spool, Duration::from_millis(30), LONG, &Cancel::new());
    assert!(spool.untold().is_none());
}
