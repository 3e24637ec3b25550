use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::Value;
use unladen_http1::Fields;

use super::*;
use crate::observability::tests::{cpu, log_settings, record};
use crate::{Addresses, LogField, LogFields, Reason, Reuse, Trace};

const EVERYTHING: line::Shape = line::Shape { fields: LogFields::EVERY, addresses: Addresses::Full };
const SOON: Duration = Duration::from_secs(20);

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

fn eventually(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < SOON, "never came true");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_the_cache_did_is_told() {
    let line_of = |cache| {
        let mut line = Vec::new();
        line::write(&RequestAccount { cache, ..record() }, EVERYTHING, &mut line);
        serde_json::from_slice::<Value>(&line).unwrap()
    };
    let passed = line_of(Some((crate::CacheResult::Pass, "cookies")));
    assert_eq!((&passed["cache"], &passed["cache_reason"]), (&"pass".into(), &"cookies".into()));
    let hit = line_of(Some((crate::CacheResult::Hit, "")));
    assert_eq!((&hit["cache"], hit.get("cache_reason")), (&"hit".into(), None));
    assert_eq!(line_of(None).get("cache"), None);
}

#[test]
fn all_that_is_known_of_a_request() {
    let address = unladen_pool::Address::Tcp(vec!["10.1.2.3:9243".parse().unwrap()]);
    let mut line = Vec::new();
    line::write(
        &RequestAccount {
            endpoint: Some(&address),
            status: 502,
            end: End::Broken(Reason::UpstreamClosed),
            reuse: Reuse::Sibling,
            attempts: 2,
            trace: Some(Trace { trace_id: [0xAB; 16], parent_id: None, span_id: [0xCD; 8], sampled: true }),
            cache: None,
            ..record()
        },
        EVERYTHING,
        &mut line,
    );
    let text = String::from_utf8(line).unwrap();
    let mut read: Value = serde_json::from_str(&text).unwrap();
    let time = read.as_object_mut().unwrap().remove("time").unwrap();
    let time = time.as_str().unwrap();
    assert!(time.len() == 27 && time.ends_with('Z'), "{time}");
    assert_eq!(
        read,
        serde_json::json!({
            "upstream": "search", "endpoint": "10.1.2.3:9243", "method": "GET", "authority": "127.0.0.1:6102",
            "target": "/index/_search?q=a", "client_version": "1.1", "upstream_version": "1.1", "status": 502, "end": "broken",
            "reason": "upstream_closed", "reuse": "other_thread", "attempts": 2, "head_ns": 10_000, "connected_ns": 12_000,
            "first_byte_ns": 800_000, "total_ns": 900_000, "bytes_in": 0, "bytes_out": 476, "request_id": "7f3c", "client": "203.0.113.77",
            "trace_id": "ab".repeat(16), "span_id": "cd".repeat(8), "sampled": true,
        })
    );
}

/// Lines had neither the client's address nor what it says that it is, and there was no choice of fields.
#[test]
fn a_line_has_the_fields_that_were_asked_for() {
    let mut said = Fields::default();
    said.push(b"User-Agent", b"curl/8");
    let line_of = |fields: &[LogField], addresses| {
        let mut line = Vec::new();
        let shape = line::Shape { fields: fields.iter().copied().collect(), addresses };
        line::write(&RequestAccount { fields: Some(&said), ..record() }, shape, &mut line);
        String::from_utf8(line).unwrap()
    };
    let some = [LogField::UserAgent, LogField::Client, LogField::Status];
    assert_eq!(
        line_of(&some, Addresses::Full),
        "{\"client\":\"203.0.113.77\",\"status\":200,\"user_agent\":\"curl/8\"}\n"
    );
    assert_eq!(
        line_of(&some, Addresses::Truncated),
        "{\"client\":\"203.0.113.0\",\"status\":200,\"user_agent\":\"curl/8\"}\n"
    );
    assert_eq!(line_of(&some, Addresses::None), "{\"status\":200,\"user_agent\":\"curl/8\"}\n");
    // Nothing that is known of it.
    assert_eq!(line_of(&[LogField::Referer], Addresses::Full), "{}\n");
}

#[test]
fn a_reload_changes_the_fields_of_lines() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.json");
    let log = AccessLog::new(&Troubles::default());
    log.open(Some(&log_settings(&file, 1.0))).unwrap();
    log.observe(&record());
    let fields = LogFields::from_iter([LogField::Client]);
    log.open(Some(&LogSettings { fields, addresses: Addresses::Truncated, ..log_settings(&file, 1.0) })).unwrap();
    log.observe(&record());
    assert!(log.close(SOON));
    let lines = lines(&file);
    assert_eq!((&lines[0]["client"], &lines[0]["status"]), (&"203.0.113.77".into(), &200.into()));
    assert_eq!(lines[1], serde_json::json!({ "client": "203.0.113.0" }));
}

#[test]
fn what_is_not_known_is_left_out() {
    let mut line = Vec::new();
    let end = End::ClientGone;
    line::write(
        &RequestAccount { status: 0, end, connected: None, first_byte: None, request_id: b"", ..record() },
        EVERYTHING,
        &mut line,
    );
    let read: Value = serde_json::from_slice(&line).unwrap();
    for absent in ["status", "reason", "endpoint", "connected_ns", "first_byte_ns", "request_id", "trace_id", "cut"] {
        assert!(read.get(absent).is_none(), "{absent} of {read}");
    }
    assert_eq!(read["end"], "client_gone");
}

#[test]
fn failures_always_and_of_the_others_a_share() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.json");
    let log = AccessLog::new(&Troubles::default());
    log.observe(&RequestAccount { status: 500, ..record() });
    log.open(Some(&log_settings(&file, 0.0))).unwrap();
    log.observe(&record());
    log.observe(&RequestAccount { status: 499, ..record() });
    log.observe(&RequestAccount { status: 101, end: End::Upgraded, ..record() });
    log.observe(&RequestAccount { status: 500, ..record() });
    log.observe(&RequestAccount { status: 429, end: End::Local(Reason::RateLimited), ..record() });
    log.observe(&RequestAccount { status: 200, end: End::Broken(Reason::UpstreamClosed), ..record() });
    log.observe(&RequestAccount { status: 200, end: End::ClientGone, ..record() });
    log.open(Some(&log_settings(&file, 0.25))).unwrap();
    for _ in 0..4000 {
        log.observe(&RequestAccount { status: 201, ..record() });
    }
    assert!(log.close(SOON));
    let lines = lines(&file);
    let (sampled, always): (Vec<&Value>, Vec<&Value>) = lines.iter().partition(|line| line["status"] == 201);
    let ends: Vec<_> = always.iter().map(|line| line["end"].as_str().unwrap()).collect();
    assert_eq!(ends, ["answered", "local_reply", "broken", "client_gone"]);
    // Seven standard deviations.
    assert!((800..1200).contains(&sampled.len()), "{}", sampled.len());
    assert_eq!(log.totals(), LogTotals { written: lines.len() as u64, lost_full: 0, lost_write: 0 });
}

#[test]
fn a_log_that_is_moved_away_is_opened_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (file, old) = (folder.path().join("access.json"), folder.path().join("access.json.1"));
    let log = AccessLog::new(&Troubles::default());
    log.open(Some(&log_settings(&file, 1.0))).unwrap();
    log.observe(&RequestAccount { status: 201, ..record() });
    fs::rename(&file, &old).unwrap();
    log.observe(&RequestAccount { status: 202, ..record() });
    log.open(Some(&log_settings(&file, 1.0))).unwrap();
    eventually(|| !lines(&old).is_empty() && log.totals().written == 2);
    log.observe(&RequestAccount { status: 203, ..record() });
    assert!(log.close(SOON));
    let statuses = |file| lines(file).iter().map(|line| line["status"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!((statuses(&old), statuses(&file)), (vec![201, 202], vec![203]));
}

#[test]
fn what_cannot_be_opened_leaves_all_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.json");
    let log = AccessLog::new(&Troubles::default());
    log.open(Some(&log_settings(&file, 1.0))).unwrap();
    assert!(log.open(Some(&log_settings(&folder.path().join("no/such"), 1.0))).is_err());
    assert!(log.open(Some(&log_settings(folder.path(), 1.0))).is_err());
    // A pipe that nobody reads is an error too, and not a wait without end.
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(log.open(Some(&log_settings(&pipe, 1.0))).is_err());
    log.observe(&record());
    assert!(log.close(SOON));
    assert_eq!(lines(&file).len(), 1);
}

#[test]
fn switched_off_it_writes_nothing_and_lets_go() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.json");
    let log = AccessLog::new(&Troubles::default());
    log.open(Some(&log_settings(&file, 1.0))).unwrap();
    log.observe(&record());
    log.open(None).unwrap();
    log.observe(&RequestAccount { status: 500, ..record() });
    assert!(log.close(SOON));
    assert_eq!(lines(&file).len(), 1);
}

/// A pipe whose reader does not read: requests go on, what does not fit is counted, and nothing that was written is
/// torn.
#[test]
fn a_reader_that_stalls_costs_lines_and_no_time() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::File::open(pipe).unwrap()
    });
    let log = AccessLog::new(&Troubles::default());
    eventually(|| log.open(Some(&log_settings(&pipe, 1.0))).is_ok());
    let mut reader = reader.join().unwrap();
    const LINES: u64 = 40_000;
    for _ in 0..LINES {
        log.observe(&record());
    }
    assert!(log.totals().lost_full > 0, "{:?}", log.totals());
    assert!(!log.close(Duration::from_millis(50)), "the writer is stuck");
    let mut text = String::new();
    let reading = std::thread::spawn(move || {
        reader.read_to_string(&mut text).unwrap();
        text
    });
    eventually(|| log.totals().written + log.totals().lost_full == LINES);
    drop(log);
    let text = reading.join().unwrap();
    assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn a_full_disk_costs_lines_and_tells_so() {
    let log = AccessLog::new(&Troubles::default());
    log.open(Some(&log_settings(Path::new("/dev/full"), 1.0))).unwrap();
    for _ in 0..10 {
        log.observe(&record());
    }
    assert!(log.close(SOON));
    assert_eq!(log.totals(), LogTotals { written: 0, lost_full: 0, lost_write: 10 });
}

proptest! {
    #[test]
    fn whatever_peers_say_makes_one_line(
        method: Vec<u8>, target in prop::collection::vec(any::<u8>(), 0..20_000), authority: Vec<u8>, request_id: Vec<u8>,
        upstream in "\\PC{0,300}", user_agent: Vec<u8>, referer in prop::collection::vec(any::<u8>(), 0..3_000),
    ) {
        let mut line = Vec::new();
        let mut said = Fields::default();
        said.push(b"user-agent", &user_agent);
        said.push(b"referer", &referer);
        let record = RequestAccount {
            method: &method, target: &target, authority: &authority, request_id: &request_id, upstream: &upstream, fields: Some(&said), ..record()
        };
        line::write(&record, EVERYTHING, &mut line);
        prop_assert!(line.len() <= line::LONGEST, "{}", line.len());
        prop_assert_eq!(line.iter().position(|&b| b == b'\n'), Some(line.len() - 1));
        let read: Value = serde_json::from_slice(&line).unwrap();
        prop_assert!(read["cut"] == true || read["target"] == *String::from_utf8_lossy(&target));
    }
}

/// `cargo test --release -- --ignored --nocapture what_a_line_costs`
#[test]
#[ignore = "prints a time"]
fn what_a_line_costs() {
    const LINES: u32 = 100_000;
    let trace = Some(Trace { trace_id: [0xAB; 16], parent_id: None, span_id: [0xCD; 8], sampled: true });
    let record = RequestAccount { trace, ..record() };
    let log = AccessLog::new(&Troubles::default());
    log.open(Some(&log_settings(Path::new("/dev/null"), 1.0))).unwrap();
    let start = cpu();
    for _ in 0..LINES {
        log.observe(std::hint::black_box(&record));
    }
    eprintln!("{:?} a line that is queued, {:?}", (cpu() - start) / LINES, log.totals());
}
