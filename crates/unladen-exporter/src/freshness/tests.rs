use super::*;
use crate::exposition::{Exposition, Format};

/// What an answer takes, in ms.
const TOOK: u64 = 2;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// An exporter whose text at a time (ms) is made of a time, watched while requests are sent for as long as it wants,
/// and then for as long as it wants quiet.
fn watch(text: impl Fn(u64, Option<u64>) -> String) -> (Watch, u64) {
    let (mut watch, mut growth) = (Watch::default(), Growth::default());
    let mut stopped = None;
    let mut at = 0;
    loop {
        let body = text(at, stopped);
        let exposition = Exposition::parse(body.as_bytes(), Format::Text).unwrap();
        let grown = growth.advance(&exposition);
        watch.answered(ms(at), ms(at + TOOK), None, &growth, &grown);
        if stopped.is_none() && !watch.wants_requests(ms(at)) {
            watch.stopped_sending(ms(at + TOOK));
            stopped = Some(at + TOOK);
        }
        if stopped.is_some() && !watch.wants_quiet(ms(at)) {
            return (watch, at);
        }
        let pause = watch.pause(ms(at + TOOK), ms(TOOK));
        at += TOOK + u64::try_from(pause.as_millis()).unwrap();
        assert!(at < 120_000, "it does not end");
    }
}

/// Requests until now: one each 20 ms while they are sent.
fn requests(at: u64, stopped: Option<u64>) -> u64 {
    at.min(stopped.unwrap_or(u64::MAX)) / 20
}

fn counter(name: &str, value: u64) -> String {
    format!("# TYPE {name} counter\n{name} {value}\n")
}

#[test]
fn what_is_told_at_once_needs_no_longer_phases() {
    let (watch, took) =
        watch(|at, stopped| counter("hits_total", requests(at, stopped)) + &counter("node_ticks_total", at));
    // The pause between two questions was a lag of 200 ms, which made the gap longer than anything needed.
    let fresh = watch.judge(ms(100)).unwrap();
    assert_eq!(fresh.settle, ms(100), "{fresh:?}");
    assert!(fresh.late.is_empty());
    assert!(took <= 5_000, "{took} ms");
}

#[test]
fn an_exporter_is_asked_often_while_that_tells_more_and_never_all_the_time() {
    let mut watch = Watch::default();
    let growth = Growth::default();
    watch.answered(ms(0), ms(2), None, &growth, &[]);
    assert_eq!(watch.pause(ms(2), ms(2)), ms(50));
    assert_eq!(watch.pause(ms(500), ms(400)), ms(800), "one that works hard for each answer");
    assert_eq!(watch.pause(ms(3_000), ms(2)), ms(200));
    watch.stopped_sending(ms(4_000));
    assert_eq!(watch.pause(ms(4_010), ms(2)), ms(50), "its tail");
    assert_eq!(watch.pause(ms(9_000), ms(2)), ms(200));
}

#[test]
fn a_cache_is_seen_by_its_steps() {
    let cached = |period: u64| {
        let (watch, _) = watch(move |at, stopped| {
            let seen = at / period * period;
            counter("hits_total", requests(seen, stopped)) + &counter("node_ticks_total", seen)
        });
        watch.judge(ms(100)).unwrap().settle
    };
    for period in [1_000, 10_000, 13_000] {
        let settle = cached(period);
        assert!(ms(period) <= settle && settle <= ms(period * 3 / 2), "{period}: {settle:?}");
    }
}

/// A backend of PostgreSQL that is idle publishes what is left after ten seconds: shorter quiet would not see it.
#[test]
fn what_postgresql_publishes_ten_seconds_later_is_waited_for() {
    let (watch, _) = watch(|at, stopped| {
        let published = match stopped {
            Some(stopped) if at >= stopped + 10_000 => at,
            Some(stopped) => at.min(stopped / 1_000 * 1_000),
            None => at / 1_000 * 1_000,
        };
        counter("pg_stat_database_xact_commit", published.min(stopped.unwrap_or(u64::MAX)))
    });
    let fresh = watch.judge(ms(100)).unwrap();
    assert!(fresh.settle >= ms(10_000), "{fresh:?}");
    assert_eq!(fresh.hidden, None, "it was seen");
}

/// A quick machine saw all of PostgreSQL's counts at once, and waited 100 ms; then it became busy, and backends ended
/// later than that: 4.56 transactions a request (4.12 to 5.06), of 4.
#[test]
fn postgresql_that_seemed_quick_was_not_waited_for() {
    let quick = |name: &'static str| {
        let (watch, _) = watch(move |at, stopped| counter(name, requests(at, stopped)));
        watch
    };
    let fresh = quick("pg_stat_database_xact_commit").judge(ms(100)).unwrap();
    assert_eq!(fresh.settle, ms(1_250), "a backend publishes its counters at most once a second");
    let hidden = fresh.hidden.unwrap();
    assert_eq!((hidden.after, hidden.settle), (ms(10_000), ms(11_000)));
    let asked = quick("pg_stat_database_xact_commit").judge(hidden.settle).unwrap();
    assert_eq!((asked.settle, asked.hidden), (ms(11_000), None), "what is told to rule it out rules it out");
    let other = quick("mysql_global_status_connections").judge(ms(100)).unwrap();
    assert_eq!((other.settle, other.hidden), (ms(100), None));
}

/// One transaction of the server's own, twelve seconds after the last request, was the tail of all of them: phases of half a
/// minute, and a run of half an hour.
#[test]
fn what_others_do_seconds_after_the_requests_is_no_tail_of_them() {
    let settle = |late: u64| {
        let (watch, _) = watch(|at, stopped| {
            let others = if stopped.is_some_and(|stopped| at >= stopped + 11_500) { late } else { 0 };
            counter("pg_stat_database_xact_commit", at.min(stopped.unwrap_or(u64::MAX)) + others)
        });
        watch.judge(ms(100)).unwrap().settle
    };
    // What backends publish at the earliest, and no more.
    assert_eq!(settle(4), ms(1_250));
    // A tenth of all is no accident.
    assert!(settle(300) >= ms(11_500));
}

#[test]
fn a_family_that_is_later_than_most_is_left_out() {
    let (watch, _) = watch(|at, stopped| {
        let fresh: String = (0..5).map(|n| counter(&format!("f{n}_total"), requests(at, stopped))).collect();
        let late = if at >= stopped.map_or(u64::MAX, |stopped| stopped + 800) { 2 } else { 1 };
        fresh + &counter("node_disk_writes_total", late)
    });
    let fresh = watch.judge(ms(100)).unwrap();
    assert!(fresh.settle < ms(700), "{fresh:?}");
    assert_eq!(fresh.late.into_iter().collect::<Vec<_>>(), ["node_disk_writes_total"]);
}

/// PHP-FPM tells how long it runs as a counter, which made phases of two seconds.
#[test]
fn a_clock_is_no_cache() {
    let (watch, _) = watch(|at, stopped| {
        counter("phpfpm_accepted_connections", requests(at, stopped)) + &counter("phpfpm_start_since", at / 1_000)
    });
    assert_eq!(watch.judge(ms(100)).unwrap().settle, ms(100));
}

#[test]
fn timestamps_tell_how_old_values_are() {
    let (mut watch, mut growth) = (Watch::default(), Growth::default());
    for step in 0..20_u64 {
        // Values move with each answer, and are 12 s old.
        let (at, now) = (step * 200, 1_000_000 + (step * 200) as i64);
        let body = format!("# TYPE container_x_total counter\ncontainer_x_total {step} {}\n", now - 12_000);
        let grown = growth.advance(&Exposition::parse(body.as_bytes(), Format::Text).unwrap());
        watch.answered(ms(at), ms(at), Some(now), &growth, &grown);
    }
    assert!(watch.judge(ms(100)).unwrap().settle >= ms(11_000));
}

#[test]
fn what_does_not_move_is_refused() {
    let (still, took) = watch(|at, _| counter("hits_total", 7) + &counter("process_cpu_seconds_total", at));
    let said = still.judge(ms(100)).unwrap_err();
    assert!(matches!(said, NotFresh::Unmoved { series: 2, .. }), "{said}");
    assert!(ms(took) <= MOST_SENDING + LEAST * 2);
    let (none, _) = watch(|_, _| "# TYPE g gauge\ng 1\n".to_owned());
    assert_eq!(none.judge(ms(100)).unwrap_err(), NotFresh::NoCounters);
}

/// Each answer of an exporter with tens of thousands of families was remembered: hundreds of megabytes in a watch.
#[test]
fn an_exporter_with_many_families_took_all_memory() {
    let text =
        |value: u64| -> String { (0..10).map(|number| counter(&format!("hits_{number}_total"), value)).collect() };
    let (mut watch, mut growth) = (Watch { moves: MOST_MOVES - 25, ..Watch::default() }, Growth::default());
    for at in 0..9 {
        let text = text(at);
        let grown = growth.advance(&Exposition::parse(text.as_bytes(), Format::Text).unwrap());
        watch.answered(ms(100 * at), ms(100 * at + TOOK), None, &growth, &grown);
    }
    assert_eq!(watch.families.values().map(|seen| seen.moves.len()).sum::<usize>(), 25);
    assert!(watch.families.values().all(|seen| seen.moves.len() == seen.amounts.len()));
    assert!(watch.judge(ms(100)).is_ok());
}

/// On a busy machine one answer came a second late: its step was seen just before the next, the settle gap became 100 ms
/// for an exporter that looks once a second, and phases got each other's requests.
#[test]
fn one_late_answer_made_a_cache_of_a_second_seem_quick() {
    let (mut watch, mut growth) = (Watch::default(), Growth::default());
    // The third step, of 3,000 ms, is seen at 3,940; the last, of 6,000 ms, too shortly before the end for a rest.
    for at in [0, 500, 1_010, 1_500, 2_010, 2_500, 3_940, 4_010, 4_500, 5_010, 5_500, 6_010, 6_500, 6_900] {
        let seen = at / 1_000 * 1_000;
        let body = counter("hits_total", requests(seen, Some(5_100)) + seen / 1_000);
        let grown = growth.advance(&Exposition::parse(body.as_bytes(), Format::Text).unwrap());
        watch.answered(ms(at), ms(at + TOOK), None, &growth, &grown);
        if at == 5_010 {
            watch.stopped_sending(ms(5_100));
        }
    }
    let fresh = watch.judge(ms(100)).unwrap();
    assert!(fresh.settle >= ms(1_000), "{fresh:?}");
}
