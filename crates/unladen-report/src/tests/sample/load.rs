//! Loads in the shape of a public account: 4,800 requests at 40/s.

use std::time::Duration;

use unladen_document::{
    About, ByConnection, ByRequest, Capacity, Drift, Interval, Latencies, LatencyIntervals, LinesPassedOver, LoadAgent,
    LoadDocument, LogLines, Lost, Ordered, Pacing, Slice, Step, Trial, send_lag,
};

use crate::unfit::Unfit;
use crate::warning::Warning;

const MS: f64 = 1e6;

/// Quantiles of 4,800 requests: median, and how much longer than it the others are.
const SHAPE: [(&str, f64, u64); 6] = [
    ("p50", 1.0, 6),
    ("p75", 1.06, 13),
    ("p90", 1.115, 36),
    ("p95", 1.187, 72),
    ("p99", 1.55, 368),
    ("p999", 2.9, 3_688),
];

pub(crate) fn latency(median_ms: f64, requests: u64) -> (Latencies, LatencyIntervals) {
    let (mut values, mut intervals) = (Latencies::new(), LatencyIntervals::new());
    for (name, factor, needs) in SHAPE {
        let value = median_ms * factor * MS;
        let margin = value * 0.4 * factor * factor / (requests as f64).sqrt();
        values.insert(name.to_owned(), value as u64);
        if requests >= needs {
            let (low, high) = ((value - margin) as u64, (value + margin * 1.2) as u64);
            intervals.insert(name.to_owned(), Interval { low, high });
        }
    }
    let mean = median_ms * 1.04 * MS;
    let ns = |value: f64| value.round() as u64;
    intervals.insert("mean".to_owned(), Interval { low: ns(mean * 0.996), high: ns(mean * 1.004) });
    let rest = [("mean", ns(mean)), ("sd", ns(mean * 0.18)), ("max", (median_ms * 4.1 * MS) as u64)];
    values.extend(rest.map(|(name, ns)| (name.to_owned(), ns)));
    (values, intervals)
}

pub(crate) fn on_connections(median_ms: f64, requests: u64) -> Option<ByConnection> {
    let (latency_ns, latency_intervals_ns) = latency(median_ms, requests);
    Some(ByConnection { requests, latency_ns, latency_intervals_ns })
}

fn step(
    (from, to): (f64, f64),
    seconds: u64,
    (requests, errors): (u64, u64),
    latency: (Latencies, LatencyIntervals),
) -> Step {
    let (latency_ns, latency_intervals_ns) = latency;
    Step { from, to, time_ns: seconds * 1_000_000_000, requests, errors, latency_ns, latency_intervals_ns }
}

fn by_request(name: &str, (requests, errors): (u64, u64), latency: (Latencies, LatencyIntervals)) -> ByRequest {
    let (latency_ns, latency_intervals_ns) = latency;
    ByRequest { name: name.to_owned(), requests, errors, latency_ns, latency_intervals_ns }
}

pub(crate) fn ordered<T: Clone>(fields: &[(&str, T)]) -> Ordered<T> {
    fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

pub(crate) fn set_unfit(load: &mut LoadDocument, unfit: &[Unfit]) {
    (load.fit, load.unfit) = (unfit.is_empty(), unfit.iter().map(ToString::to_string).collect());
}

/// The shape between the quantiles: share, and how much longer than the median.
const KNOTS: [(f64, f64); 13] = [
    (0.0, 0.86),
    (0.02, 0.895),
    (0.05, 0.91),
    (0.15, 0.945),
    (0.25, 0.965),
    (0.5, 1.0),
    (0.75, 1.06),
    (0.9, 1.115),
    (0.95, 1.187),
    (0.98, 1.35),
    (0.99, 1.55),
    (0.999, 2.9),
    (1.0, 4.1),
];

/// A peak with a long tail to the right.
pub(crate) fn distribution(median_ms: f64) -> Vec<(u64, f64)> {
    let at = |share: f64| {
        let above = KNOTS.iter().position(|(knot, _)| *knot >= share).unwrap_or(KNOTS.len() - 1).max(1);
        let ((x0, y0), (x1, y1)) = (KNOTS[above - 1], KNOTS[above]);
        y0 + (y1 - y0) * (share - x0) / (x1 - x0)
    };
    let shares = (1..200).map(|i| f64::from(i) / 200.0).chain([0.998, 0.999, 0.9995, 0.9998, 1.0]);
    shares.map(|share| ((median_ms * at(share) * MS) as u64, share)).collect()
}

pub(crate) fn steady() -> LoadDocument {
    let slice = |i: u64| Slice {
        start_ns: 2_000_000_000 * i,
        length_ns: 2_000_000_000,
        planned: 80,
        errors: 0,
        p50: 26_200_000 + (i * 7_919 % 11) * 100_000,
        p99: 34_600_000 + (i * 15_485_863 % 13) * 150_000,
        max: if i == 31 { 107_420_000 } else { 36_000_000 + (i * 104_729 % 17) * 800_000 },
    };
    let (latency_ns, latency_intervals_ns) = latency(26.2, 4_800);
    LoadDocument {
        schema: LoadDocument::SCHEMA.to_owned(),
        about: About { seed: Some(42), ..About::default() },
        target: "http://127.0.0.1:8080/index.php/Main_Page".into(),
        rate: Some(40.0),
        arrivals: Some("constant".into()),
        concurrency: 256,
        keep_alive: true,
        keep_cookies: true,
        http: "HTTP/1.1".into(),
        answers: vec![super::weigh::answer("/index.php/Main_Page")],
        ended: "complete".into(),
        elapsed_ns: 120_031_000_000,
        planned: 4_800,
        requests: 4_800,
        throughput: 39.99,
        latency_ns,
        latency_intervals_ns,
        within: ordered(&[("25ms", 0.186), ("50ms", 0.9948), ("100ms", 0.99979), ("250ms", 1.0), ("1s", 1.0)]),
        new_connections: on_connections(27.9, 12),
        reused_connections: on_connections(26.2, 4_788),
        send_lag_ns: Some(send_lag(6_200, 48_000, 1_210_000)),
        pacing: Some(Pacing { cpu_ns: 312_000_000 }),
        statuses: ordered(&[("200", 4_800)]),
        connections: 12,
        bytes_sent: 4_800 * 120,
        bytes_received: 4_800 * 25_200,
        body_bytes: 4_800 * 24_871,
        client_cpu_ns: 1_210_000_000,
        fit: true,
        timeline: (0..60).map(slice).collect(),
        distribution: distribution(26.2),
        ..LoadDocument::default()
    }
}

/// All that can go wrong, at once.
pub(crate) fn overloaded() -> LoadDocument {
    let mut load = steady();
    let passed_over =
        |reason: &str, lines, about: &str| LinesPassedOver { reason: reason.into(), lines, about: about.into() };
    load.access_log = Some(LogLines {
        file: "access\u{1b}[31m.log".into(),
        lines: 12_345,
        sent: 12_000,
        passed_over: vec![
            passed_over("method", 300, "with methods other than GET, whose bodies are not in the log"),
            passed_over("failed", 45, "answered 400 or above"),
        ],
    });
    (load.rate, load.planned, load.requests, load.throughput) = (Some(1_200.0), 36_000, 21_480, 715.9);
    (load.arrivals, load.elapsed_ns) = (Some("Poisson".into()), 30_000_000_000);
    (load.latency_ns, load.latency_intervals_ns) = latency(812.0, 21_604);
    load.within = ordered(&[("250ms", 0.0412), ("1s", 0.548), ("10s", 0.5967)]);
    load.new_connections = on_connections(1_080.0, 256);
    load.reused_connections = on_connections(808.0, 21_348);
    load.connections = 256;
    load.distribution = distribution(812.0);
    (load.cut_short, load.unsent, load.changed, load.abandoned) = (124, 13_900, 3, 0);
    load.errors = ordered(&[("status", 492), ("timeout", 124), ("connect", 4)]);
    load.error_examples = ordered(&[
        ("status", "503 Service Unavailable: upstream connect error or disconnect/reset before headers. reset reason: overflow".to_owned()),
        ("timeout", "no answer within 30 s".to_owned()),
        ("connect", "connection refused\n\u{1b}[31m".to_owned()),
    ]);
    load.statuses = ordered(&[("200", 21_480), ("503", 492)]);
    set_unfit(
        &mut load,
        &[Unfit::Late { p99: 41_000_000, limit: 1_000_000, because: None }, Unfit::Busy { share: 0.97, taken: None }],
    );
    load.steps = vec![
        step((100.0, 100.0), 10, (1_000, 0), latency(27.0, 1_000)),
        step((100.0, 2_400.0), 20, (20_480, 14_520), latency(905.0, 20_604)),
    ];
    load.by_request = vec![
        by_request("/index.php/Main_Page", (14_000, 9_700), latency(640.0, 14_080)),
        by_request("/index.php/Special:Version", (7_480, 4_820), latency(1_240.0, 7_524)),
        by_request("/favicon.ico", (0, 0), Default::default()),
    ];
    for slice in load.timeline.iter_mut().skip(40) {
        (slice.p50, slice.p99, slice.max, slice.errors) = (900_000_000, 1_900_000_000, 30_000_000_000, 25);
    }
    let warnings = [Warning::CutShort { requests: 124 }, Warning::Capped { concurrency: 256 }];
    load.warnings = warnings.iter().map(ToString::to_string).collect();
    load
}

/// Sent by three hosts, of which one was late and one was lost.
pub(crate) fn from_hosts() -> LoadDocument {
    let agent = |name: &str, requests: u64, p99: u64| LoadAgent {
        name: name.into(),
        command: format!("ssh {name}"),
        requests,
        answered: requests,
        unsent: 0,
        missing: 0,
        unrecorded: 0,
        send_lag_ns: Some(send_lag(5_900, p99, 3 * p99)),
        cpu_ns: Some(410_000_000),
        stolen_share: Some(0.0),
        start_uncertainty_ns: 84_000,
        round_trip_ns: 168_000,
        drift: Some(Drift { ns: -12_300, uncertainty_ns: 171_000 }),
        fit: true,
        unfit: Vec::new(),
        lost: None,
    };
    let late = Unfit::Late { p99: 2_300_000, limit: 1_310_000, because: None };
    let mut gen2 = agent("gen2", 1_600, 2_300_000);
    (gen2.fit, gen2.unfit) = (false, vec![late.to_string()]);
    let why = "the pipe ended; it said: Connection to gen3 closed by remote host.";
    let gen3 = LoadAgent {
        missing: 1_190,
        cpu_ns: None,
        stolen_share: None,
        drift: None,
        fit: false,
        lost: Some(Lost { at_ns: 30_750_000_000, why: why.into() }),
        ..agent("gen3", 410, 51_000)
    };
    let lost =
        Unfit::Lost { name: "gen3".into(), at: Duration::from_millis(30_750), missing: Some(1_190), why: why.into() };
    let agents = vec![agent("gen1", 1_600, 48_000), gen2, gen3];
    let mut load = LoadDocument { requests: 3_610, missing: 1_190, agents, ..steady() };
    set_unfit(&mut load, &[Unfit::Agent { name: "gen2".into(), unfit: Box::new(late) }, lost]);
    load
}

/// The search for the highest rate.
pub(crate) fn searched() -> LoadDocument {
    let trial = |rate: f64, p95: u64, held| Trial {
        rate,
        planned: (rate * 10.0) as u64,
        quantile_ns: Some(p95),
        low: Some(p95 / 100 * 97),
        high: Some(p95 / 100 * 104),
        errors: 0,
        failure: None,
        held,
        unfit: false,
    };
    LoadDocument {
        capacity: Some(Capacity {
            limit: "p95<100ms".into(),
            highest: Some(212.0),
            lowest_broken: Some(218.0),
            trials: vec![
                trial(100.0, 41_000_000, Some(true)),
                trial(200.0, 78_000_000, Some(true)),
                trial(400.0, 2_210_000_000, Some(false)),
                trial(212.0, 94_000_000, Some(true)),
                trial(215.0, 99_000_000, None),
                trial(218.0, 118_000_000, Some(false)),
            ],
        }),
        latency_ns: Latencies::new(),
        latency_intervals_ns: LatencyIntervals::new(),
        within: Ordered::default(),
        new_connections: None,
        reused_connections: None,
        timeline: Vec::new(),
        distribution: Vec::new(),
        ..steady()
    }
}
