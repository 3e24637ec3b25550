#![allow(clippy::disallowed_types, reason = "an exporter tells the times of its values as wall time")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Mutex;
use std::time::SystemTime;

use super::*;

type Answer = Box<dyn Fn(u64) -> String + Send>;

/// Serves what `answer` makes of the number of the request, one connection after the other.
fn serve(answer: impl Fn(u64) -> String + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let answer: Mutex<Answer> = Mutex::new(Box::new(answer));
    thread::spawn(move || {
        let mut number = 0;
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            while stream.read(&mut request).is_ok_and(|read| read > 0) {
                number += 1;
                let answer = answer.lock().unwrap()(number);
                if stream.write_all(answer.as_bytes()).is_err() {
                    break;
                }
            }
        }
    });
    address
}

fn text(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain; version=0.0.4\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn open(address: SocketAddr) -> Result<ExporterSource, ExporterError> {
    let exporter: Exporter = format!("db={address}/metrics").parse().unwrap();
    ExporterSource::open(&exporter, &TlsOptions::default(), Duration::from_millis(100))
}

fn soon() -> Instant {
    Instant::now() + TIMEOUT
}

#[test]
fn what_grew_between_two_answers_is_told_with_its_unit() {
    let address = serve(|number| {
        text(&format!(
            "# TYPE cpu_seconds_total counter\ncpu_seconds_total{{cpu=\"0\"}} {}\n# TYPE sent_bytes_total counter\nsent_bytes_total {}\n\
             # TYPE load gauge\nload {number}\n",
            number as f64 / 4.0,
            number * 1000
        ))
    });
    let mut source = open(address).unwrap();
    let names: Vec<&str> = source.series().iter().map(|series| series.group.as_str()).collect();
    assert_eq!(names, ["cpu_seconds_total{cpu=\"0\"}", "sent_bytes_total"]);
    source.ask();
    let reading = source.answer(soon()).unwrap();
    assert_eq!(reading.grown, [(0, 250_000_000.0), (1, 1000.0)]);
    source.ask();
    assert!(source.answer(soon()).unwrap().at_ns > reading.at_ns);
}

#[test]
fn a_watch_says_how_long_phases_have_to_wait() {
    let begun = SystemTime::now();
    let address = serve(move |_| {
        let ns = begun.elapsed().unwrap().as_nanos();
        text(&format!("# TYPE ticks_total counter\nticks_total {ns}\n"))
    });
    let mut source = open(address).unwrap();
    source.begin_watch();
    for is_sending in [true, false] {
        while source.wants(is_sending) {
            thread::sleep(Duration::from_millis(20));
        }
    }
    assert!(!source.wants(true), "requests that are over do not begin again");
    source.end_watch().unwrap();
    // It moves with each question: as old as the pause between two is all that can be said.
    assert!(source.settle() < Duration::from_secs(10), "{:?}", source.settle());
    source.ask();
    assert_eq!(source.answer(soon()).unwrap().grown.len(), 1);
}

#[test]
fn an_exporter_without_counters_is_refused() {
    let mut source = open(serve(|_| text("# TYPE load gauge\nload 1\n"))).unwrap();
    source.begin_watch();
    let failure = source.end_watch().unwrap_err();
    assert!(failure.to_string().contains("none of its series is a counter"), "{failure}");
}

#[test]
fn what_answers_otherwise_is_told_with_what_to_do() {
    let refused = |answer: &'static str| open(serve(|_| answer.to_owned())).err().unwrap().to_string();
    let moved = refused("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/m\r\ncontent-length: 0\r\n\r\n");
    assert!(moved.contains("redirects to http://127.0.0.1:1/m") && moved.contains("use that URL"), "{moved}");
    assert!(refused("HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n").contains("http://USER:PASSWORD@"));
    assert!(refused("HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n").contains("/metrics"));
    let page = refused("HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n<html>\n");
    assert!(page.contains("line 1: expected the name of a metric"), "{page}");
    let long = refused("HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n");
    assert!(long.contains("99999999") || long.contains("too large") || long.contains("larger"), "{long}");
    let coded = refused("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\nx");
    assert!(coded.contains("gzip"), "{coded}");
}

#[test]
fn an_exporter_that_goes_away_says_why() {
    let address = serve(|number| match number {
        1 => text("a_total 1\n"),
        _ => "HTTP/1.1 500 Broken\r\ncontent-length: 0\r\n\r\n".to_owned(),
    });
    let mut source = open(address).unwrap();
    source.ask();
    let gone = source.answer(soon()).unwrap_err();
    assert!(gone.contains("exporter db: answered 500"), "{gone:?}");
}

/// The thread and its question outlived the run.
#[test]
fn a_source_that_is_let_go_while_it_waits_ends_at_once() {
    let address = serve(|number| {
        if number > 1 {
            thread::sleep(Duration::from_secs(60));
        }
        text("a_total 1\n")
    });
    let mut source = open(address).unwrap();
    source.ask();
    let begun = Instant::now();
    drop(source);
    assert!(begun.elapsed() < Duration::from_secs(30));
}

/// Nothing said that a database's counts may come later than the watch could see.
#[test]
fn what_may_come_later_than_the_watch_saw_is_told_with_what_rules_it_out() {
    let mut source = open(serve(|_| text("pg_stat_database_xact_commit 1\n"))).unwrap();
    let hidden = unladen_exporter::Hidden {
        who: "a session publishes late",
        after: Duration::from_secs(10),
        settle: Duration::from_secs(11),
    };
    source.freshness = Some(Freshness {
        lag: Duration::from_millis(60),
        settle: Duration::from_millis(1_300),
        moved: 1,
        late: std::collections::BTreeSet::new(),
        hidden: Some(hidden),
        answers: 40,
    });
    assert_eq!(
        source.notes(),
        ["a session publishes late: what such sessions count may appear later than the settle gap of 1.3 s allows; \
             `--settle 11s` rules that out"]
    );
}
