//! Weights in the shape of a small MediaWiki.

use std::time::Duration;

use unladen_lockin::Estimate;

use crate::quantity::Kind;
use crate::warning::Warning;
use crate::weigh::*;

fn estimate(value: f64, margin: f64) -> Estimate {
    Estimate { value, low: value - margin, high: value + margin, mean: value, blocks: 15 }
}

fn row(group: &str, counter: &'static str, title: &'static str, kind: Kind, value: f64, margin: f64) -> WeightRow {
    WeightRow {
        group: group.into(),
        is_machine: group == "machine",
        counter,
        title,
        unit: match kind {
            Kind::Time => "ns",
            Kind::Bytes => "B",
            Kind::Count => "1",
        },
        kind,
        approximate: counter.starts_with("cpu_"),
        per_request: estimate(value, margin),
        noise_floor: margin / 10.0,
        adjusted_p: 0.0001,
        follows: true,
        displaced: false,
        invalid: false,
        share: None,
        user: None,
    }
}

fn page(name: &str, scale: f64) -> WeighedUrl {
    let php = "www-data php-fpm8.2";
    let nginx = "www-data nginx";
    let mut weights = vec![
        row(php, "cpu", "CPU", Kind::Time, 17_918_223.0 * scale, 214_000.0),
        row(php, "cpu_user", "CPU in user mode", Kind::Time, 15_200_000.0 * scale, 900_000.0),
        row(php, "cpu_system", "CPU in the kernel", Kind::Time, 2_700_000.0 * scale, 900_000.0),
        row(php, "voluntary_switches", "switches, waiting", Kind::Count, 1.02, 0.01),
        row(php, "minor_faults", "page faults, minor", Kind::Count, 12.4, 2.2),
        row(php, "read_calls", "read calls", Kind::Count, 161.0, 0.0),
        row(php, "read_bytes", "bytes read", Kind::Bytes, 1_234_567.0, 12_000.0),
        row(nginx, "cpu", "CPU", Kind::Time, 212_345.0, 9_100.0),
        row(nginx, "voluntary_switches", "switches, waiting", Kind::Count, 4.0, 0.0),
        row("machine", "loopback_bytes", "bytes over the loopback", Kind::Bytes, 26_300.0, 41.0),
    ];
    weights[0].share = Some(estimate(0.988, 0.001));
    weights[7].share = Some(estimate(0.012, 0.001));
    weights[0].user = Some(estimate(0.85, 0.02));
    weights[7].user = Some(estimate(0.2, 0.4));
    weights.push(WeightRow { follows: false, ..row("root sshd", "cpu", "CPU", Kind::Time, 900.0, 31_000.0) });
    let quantile = |name, value: u64, carried: bool, needs| LatencyQuantile {
        name,
        value,
        interval: carried.then_some((value - 200_000, value + 300_000)),
        needs,
    };
    let span = |value: f64| Span { value, low: value * 0.99, high: value * 1.01 };
    let phase = |i: u64, is_on| PhaseTrace {
        is_on,
        start: Duration::from_millis(500 * i),
        length: Duration::from_millis(500),
        cpu: vec![(php.into(), if is_on { 0.89 } else { 0.01 }), (nginx.into(), if is_on { 0.02 } else { 0.0 })],
    };
    WeighedUrl {
        name: name.into(),
        url: format!("http://127.0.0.1:8080{name}"),
        http: "HTTP/1.1".into(),
        requests: 340,
        blocks: 15,
        response_bytes: 24_871,
        client: Client {
            latency: Some(Latency {
                mean: 19_312_345.0,
                mean_interval: Some((19_112_345.0, 19_512_345.0)),
                sd: 1_212_345.0,
                max: 31_212_345,
                quantiles: vec![
                    quantile("p50", 19_100_000, true, 6),
                    quantile("p90", 20_100_000, true, 36),
                    quantile("p99", 25_100_000, false, 368),
                ],
            }),
            connections: 1,
            changed: 339,
            cpu: Some(estimate(88_000.0, 2_000.0)),
        },
        weights,
        total_cpu: Some(estimate(18_130_568.0 * scale, 215_000.0)),
        rest: Some(Rest { groups: 14, cpu: estimate(20_000.0, 310_000.0), noise_floor: 310_000.0 }),
        capacity: Some(UrlCapacity { per_core: span(55.16 / scale), machine: span(110.32 / scale) }),
        trace: [true, false, false, true, false, true, true, false]
            .into_iter()
            .zip(0..)
            .map(|(on, i)| phase(i, on))
            .collect(),
    }
}

fn result(urls: Vec<WeighedUrl>, warnings: Vec<Warning>) -> Weigh {
    Weigh {
        setup: Setup {
            seed: 42,
            elapsed: Duration::from_millis(30_212),
            phase: Duration::from_millis(500),
            settle: Duration::from_millis(100),
            concurrency: 1,
            rate: None,
            keep_alive: true,
            processors: 2,
            background_cores: 0.04,
            probe_share: 0.0007,
        },
        ended: Ended::Complete,
        urls,
        warnings,
    }
}

pub(crate) fn one_page() -> Weigh {
    let page = page("/index.php/Main_Page", 1.0);
    let changes = Warning::BodyChanges { url: page.name.clone(), changed: 339, requests: 340 };
    let shortfall = Warning::Shortfall {
        missing: vec![
            "read, write and disk counts of other users' processes".into(),
            "executables of other users' processes".into(),
        ],
        takes: "root".into(),
    };
    result(vec![page], vec![changes, shortfall])
}

pub(crate) fn two_pages() -> Weigh {
    result(vec![page("/index.php/Main_Page", 1.0), page("/index.php/Special:Version", 3.2)], Vec::new())
}

pub(crate) fn nothing_follows() -> Weigh {
    let mut page = page("/", 1.0);
    for row in &mut page.weights {
        row.follows = false;
    }
    (page.total_cpu, page.capacity) = (None, None);
    result(vec![page], vec![Warning::NothingFollows])
}
