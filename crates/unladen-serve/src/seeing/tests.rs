use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_pool::{Origin, Place, UpstreamSettings};

use super::*;
use crate::{
    BesideSettings, ClientSettings, End, Forwarded, HostRule, ListenAddress, LogSettings, OtlpSettings, Record, Reuse,
    Version,
};

/// A request that went well.
pub(super) fn record() -> Record<'static> {
    Record {
        upstream: "search",
        endpoint: None,
        method: b"GET",
        target: b"/index/_search?q=a",
        authority: b"127.0.0.1:6102",
        client_version: Version::Http11,
        upstream_version: Some(Version::Http11),
        status: 200,
        end: End::Answered,
        reuse: Reuse::Own,
        attempts: 1,
        began: Instant::now(),
        head: Duration::from_micros(10),
        connected: Some(Duration::from_micros(12)),
        first_byte: Some(Duration::from_micros(800)),
        total: Duration::from_micros(900),
        bytes_in: 0,
        bytes_out: 476,
        request_id: b"7f3c",
        trace: None,
        cache: None,
    }
}

pub(super) fn upstream_settings(name: &str) -> UpstreamSettings {
    let at = Place::Tcp("search.example".to_owned(), 9243);
    let origin = Origin { at, tls: true, weight: 1, authority: "search.example:9243".to_owned() };
    UpstreamSettings::new(name, vec![origin])
}

/// With one listener, and without anything that shows.
pub(super) fn settings() -> Settings {
    Settings {
        threads: 2,
        drain: Duration::from_secs(30),
        admin: None,
        log: None,
        otlp: None,
        front: Vec::new(),
        beside: vec![BesideSettings {
            listen: vec![ListenAddress::Tcp(([127, 0, 0, 1], 6102).into())],
            socket_mode: 0o660,
            upstream: upstream_settings("search"),
            host: HostRule::default(),
            forwarded: Forwarded::default(),
            via: false,
            request_id: true,
            client: ClientSettings::default(),
            rates: vec![],
        }],
    }
}

pub(super) fn seeing(views: Vec<Arc<dyn View>>) -> Arc<Seeing> {
    let seeing = Seeing::new(&settings()).unwrap();
    seeing.set_upstreams(views);
    Arc::new(seeing)
}

#[test]
fn an_upstream_keeps_its_place_and_its_counts() {
    let seeing = seeing(vec![]);
    let (search, images) = (seeing.upstream("search"), seeing.upstream("images"));
    assert_ne!(search, images);
    let before = seeing.thread(0);
    before.observe(&record(), images);
    // A reload: the threads are made anew, the upstreams are in another order.
    assert_eq!(seeing.upstream("images"), images);
    let after = seeing.thread(0);
    after.observe(&record(), images);
    before.observe(&record(), images);
    let totals = seeing.totals();
    let counts: Vec<_> = totals.iter().map(|(name, totals)| (&**name, totals.requests().count())).collect();
    assert_eq!(counts, [("search", 0), ("images", 3)]);
}

#[test]
fn threads_count_apart_and_are_added_up() {
    let seeing = seeing(vec![]);
    let upstream = seeing.upstream("search");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let seeing = &seeing;
            scope.spawn(move || {
                let own = seeing.thread(thread);
                for _ in 0..10_000 {
                    own.begin(upstream);
                    own.observe(&record(), upstream);
                    own.end(upstream);
                }
            });
        }
    });
    let totals = &seeing.totals()[0].1;
    assert_eq!((totals.requests().count(), totals.begun, totals.in_flight()), (40_000, 40_000, 0));
}

#[test]
fn settings_that_cannot_be_followed_leave_all_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.json");
    let mut good = settings();
    good.log = Some(LogSettings { file: Some(file.clone()), sample: 1.0 });
    let seeing = Arc::new(Seeing::new(&good).unwrap());
    let config = seeing.config.load_full();
    let mut bad = good.clone();
    bad.drain = Duration::from_secs(1);
    bad.log = Some(LogSettings { file: Some(folder.path().join("no/such")), sample: 1.0 });
    let error = seeing.reload(&bad).unwrap_err().to_string();
    assert!(error.starts_with("cannot open the access log ") && error.contains("no/such"), "{error}");
    bad.log = None;
    for endpoint in
        ["collector:4318", "ftp://collector", "http://", "http://user@collector", "http://collector?a", "http://c#d"]
    {
        let (every, service) = (Duration::from_secs(60), "unladen".to_owned());
        bad.otlp = Some(OtlpSettings { endpoint: endpoint.to_owned(), sample: 1.0, every, service });
        let error = seeing.reload(&bad).unwrap_err().to_string();
        assert!(error.starts_with("otlp: "), "{error}");
    }
    assert_eq!(*seeing.config.load_full(), *config);
    let upstream = seeing.upstream("search");
    seeing.thread(0).observe(&record(), upstream);
    assert!(seeing.close(Duration::from_secs(20)));
    assert_eq!(std::fs::read_to_string(file).unwrap().lines().count(), 1);
}

/// CPU time of this thread: what else runs on the machine does not count.
pub(super) fn cpu() -> Duration {
    nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap().into()
}

/// `cargo test --release -- --ignored --nocapture what_a_request_costs`: with what is on by default.
#[test]
#[ignore = "prints a time"]
fn what_a_request_costs() {
    const TIMES: u32 = 10_000_000;
    let seeing = seeing(vec![]);
    let upstream = seeing.upstream("search");
    let thread = seeing.thread(0);
    let record = record();
    let start = cpu();
    for _ in 0..TIMES {
        thread.begin(upstream);
        thread.observe(std::hint::black_box(&record), upstream);
        thread.end(upstream);
    }
    eprintln!("{:?} a request", (cpu() - start) / TIMES);
    let mut out = Vec::with_capacity(128);
    let start = cpu();
    for _ in 0..TIMES {
        out.clear();
        trace_context::write(&std::hint::black_box(trace_context::incoming(None, 0.1)), &mut out);
    }
    eprintln!("{:?} a trace, made and written", (cpu() - start) / TIMES);
    let start = cpu();
    for _ in 0..TIMES {
        out.clear();
        request_id(std::hint::black_box(&mut out));
    }
    eprintln!("{:?} a request's id", (cpu() - start) / TIMES);
}

#[test]
fn what_is_left_is_waited_for_and_not_without_end() {
    let seeing = seeing(vec![]);
    assert!(seeing.close(Duration::from_secs(20)));
    let exporting = seeing.exporting();
    assert!(!seeing.close(Duration::from_millis(10)));
    std::thread::scope(|scope| {
        let finished = scope.spawn(|| seeing.close(Duration::from_secs(20)));
        drop(exporting);
        assert!(finished.join().unwrap());
    });
}
