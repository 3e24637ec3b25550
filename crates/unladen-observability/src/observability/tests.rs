use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_pool::{EndpointAddress, Origin, UpstreamSettings};

use super::*;
use crate::{
    Addresses, ClientMemoryState, End, LogFields, LogSettings, OtlpSettings, RequestAccount, Reuse, Version,
    request_id, trace_context,
};

/// A request that went well.
pub(crate) fn record() -> RequestAccount<'static> {
    RequestAccount {
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
        client: Some(IpAddr::from([203, 0, 113, 77])),
        fields: None,
        request_id: b"7f3c",
        trace: None,
        cache: None,
        cause: None,
        fetched: None,
    }
}

/// With all fields.
pub(crate) fn log_settings(file: &Path, sample: f64) -> LogSettings {
    LogSettings { file: Some(file.to_owned()), sample, fields: LogFields::EVERY, addresses: Addresses::Full }
}

pub(crate) fn upstream_settings(name: &str) -> UpstreamSettings {
    let at = EndpointAddress::Tcp("search.example".to_owned(), 9243);
    let origin = Origin { at, tls: true, weight: 1, authority: "search.example:9243".to_owned(), discovery: None };
    UpstreamSettings::new(name, vec![origin])
}

/// Nothing is held.
#[derive(Debug)]
pub(crate) struct NoMemory;

impl ClientMemory for NoMemory {
    fn state(&self) -> ClientMemoryState {
        ClientMemoryState::default()
    }
}

/// With these settings.
pub(crate) fn with(settings: &ObservabilitySettings) -> io::Result<Observability> {
    Observability::new(settings.clone(), Arc::new(NoMemory))
}

pub(crate) fn observability(views: Vec<Arc<dyn UpstreamView>>) -> Arc<Observability> {
    let config = r#"{ "threads": 2 }"#.to_owned();
    let observability = with(&ObservabilitySettings { config, ..ObservabilitySettings::default() }).unwrap();
    observability.set_upstreams(views);
    Arc::new(observability)
}

#[test]
fn an_upstream_keeps_its_place_and_its_counts() {
    let observability = observability(vec![]);
    let (search, images) = (observability.upstream("search"), observability.upstream("images"));
    assert_ne!(search, images);
    let before = observability.thread(0);
    before.observe(&record(), images);
    // A reload: the threads are made anew, the upstreams are in another order.
    assert_eq!(observability.upstream("images"), images);
    let after = observability.thread(0);
    after.observe(&record(), images);
    before.observe(&record(), images);
    let totals = observability.totals();
    let counts: Vec<_> = totals.iter().map(|(name, totals)| (&**name, totals.requests().count())).collect();
    assert_eq!(counts, [("search", 0), ("images", 3)]);
}

#[test]
fn threads_count_apart_and_are_added_up() {
    let observability = observability(vec![]);
    let upstream = observability.upstream("search");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let observability = &observability;
            scope.spawn(move || {
                let own = observability.thread(thread);
                for _ in 0..10_000 {
                    own.begin(upstream);
                    own.observe(&record(), upstream);
                    own.end(upstream);
                }
            });
        }
    });
    let totals = &observability.totals()[0].1;
    assert_eq!((totals.requests().count(), totals.begun, totals.in_flight()), (40_000, 40_000, 0));
}

#[test]
fn settings_that_cannot_be_followed_leave_all_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("access.json");
    let log = Some(log_settings(&file, 1.0));
    let good =
        ObservabilitySettings { log, otlp: None, peers: Vec::new(), ready: Vec::new(), config: "as it was".to_owned() };
    let observability = Arc::new(with(&good).unwrap());
    let config = observability.config.load_full();
    let mut bad = good.clone();
    bad.config = "another".to_owned();
    bad.log = Some(log_settings(&folder.path().join("no/such"), 1.0));
    let error = observability.reload(bad.clone()).unwrap_err().to_string();
    assert!(error.starts_with("cannot open the access log ") && error.contains("no/such"), "{error}");
    bad.log = None;
    for endpoint in
        ["collector:4318", "ftp://collector", "http://", "http://user@collector", "http://collector?a", "http://c#d"]
    {
        let (every, service) = (Duration::from_secs(60), "unladen".to_owned());
        bad.otlp = Some(OtlpSettings {
            endpoint: endpoint.to_owned(),
            sample: 1.0,
            every,
            service,
            environment: None,
            zone: None,
        });
        let error = observability.reload(bad.clone()).unwrap_err().to_string();
        assert!(error.starts_with("otlp: "), "{error}");
    }
    assert_eq!(*observability.config.load_full(), *config);
    let upstream = observability.upstream("search");
    observability.thread(0).observe(&record(), upstream);
    assert!(observability.close(Duration::from_secs(20)));
    assert_eq!(std::fs::read_to_string(file).unwrap().lines().count(), 1);
}

/// CPU time of this thread: what else runs on the machine does not count.
pub(crate) fn cpu() -> Duration {
    nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap().into()
}

/// `cargo test --release -- --ignored --nocapture what_a_request_costs`: with what is on by default.
#[test]
#[ignore = "prints a time"]
fn what_a_request_costs() {
    const TIMES: u32 = 10_000_000;
    let observability = observability(vec![]);
    let upstream = observability.upstream("search");
    let thread = observability.thread(0);
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
    let observability = observability(vec![]);
    assert!(observability.close(Duration::from_secs(20)));
    let exporting = observability.exporting();
    assert!(!observability.close(Duration::from_millis(10)));
    std::thread::scope(|scope| {
        let finished = scope.spawn(|| observability.close(Duration::from_secs(20)));
        drop(exporting);
        assert!(finished.join().unwrap());
    });
}
