//! Weights in the shape of a small MediaWiki.

use std::time::Duration;

use unladen_document::{Answer, FarStation, LeftBehind, NextStep, WeighedHost};
use unladen_finding::{Bearing, Figure, Finding, Fix, Item, Removes, Saves, Share, Unjudged, Whole};
use unladen_lockin::Estimate;
use unladen_quantity::{Kind, Span};
use unladen_trace::{Interval, PathSeen, PeerSeen, Protocol, Unseen};

use crate::ended::Ended;
use crate::inside::{Fresh, Inside, NotLooked, StatementRow, TotalRow};
use crate::latency::{Latency, LatencyQuantile};
use crate::warning::Warning;
use crate::weigh::*;

fn estimate(value: f64, margin: f64) -> Estimate {
    Estimate { value, low: value - margin, high: value + margin, mean: value, blocks: 15 }
}

fn row(group: &str, counter: &'static str, title: &'static str, kind: Kind, value: f64, margin: f64) -> WeightRow {
    WeightRow {
        group: group.into(),
        host: None,
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
        on_path: false,
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
        answer: Some(answer(name)),
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
        by_host: Vec::new(),
        rest: Some(Rest { groups: 14, cpu: estimate(20_000.0, 310_000.0), noise_floor: 310_000.0 }),
        capacity: Some(UrlCapacity { per_core: span(55.16 / scale), machine: span(110.32 / scale) }),
        path: Path { groups: vec![nginx.into(), php.into()], ..Path::default() },
        trace: [true, false, false, true, false, true, true, false]
            .into_iter()
            .zip(0..)
            .map(|(on, i)| phase(i, on))
            .collect(),
        inside: None,
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
            keep_cookies: true,
            processors: 2,
            background_cores: 0.04,
            probe_share: 0.0007,
        },
        ended: Ended::Complete,
        urls,
        left_behind: Some(Vec::new()),
        hosts: Vec::new(),
        machine: None,
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

fn interval(value: f64, margin: f64) -> Interval {
    Interval { value, low: value - margin, high: value + margin }
}

fn total(group: &str, counter: &str, title: Option<&'static str>, value: f64, margin: f64) -> TotalRow {
    TotalRow {
        group: group.into(),
        counter: counter.into(),
        title,
        per_request: interval(value, margin),
        noise_floor: 0.0,
    }
}

/// What was found inside a page of PHP, and what could not be looked for.
pub(crate) fn inside() -> Inside {
    let php = "www-data php-fpm8.2";
    let storm = Finding {
        rule: "stat-storm",
        group: php.into(),
        summary: "1,104 ± 3 file checks per request, 412 of them for files that do not exist".into(),
        figures: vec![Figure { name: "checks", unit: "1", value: interval(1_104.0, 3.0) }],
        items: [("includes/libs", 611.0), ("extensions", 240.0), ("vendor", 120.0), ("a", 3.0), ("b", 2.0), ("c", 1.0)]
            .map(|(name, per_request)| Item { name: name.into(), per_request })
            .to_vec(),
        takes: Share::Known {
            of: Whole::Latency,
            time: Interval { value: 2_100_000.0, low: 900_000.0, high: 4_200_000.0 },
            part: Interval { value: 0.088, low: 0.04, high: 0.175 },
        },
        saves: Saves::AtMost { of: Whole::Latency, time: 2_630_000.0, part: 0.11 },
        removes: Some(Removes { what: "checks", calls: 692.0, of: 1_104.0 }),
        fix: Fix {
            developers: Some("for the developers of the application: replace trying by knowing".into()),
            ..Fix::advice("let the opcode cache answer for the files that it holds")
                .lines("/etc/php/8.2/fpm/conf.d/zz-unladen.ini", ["opcache.enable_file_override = 1"])
                .command("systemctl reload php8.2-fpm")
        },
        check_again: "unladen prove FILE, with this knob in it:\n[[knob]]\nname = \"file override\"".into(),
    };
    let no_validator = Finding {
        rule: "no-validator",
        group: String::new(),
        summary: "the page has neither ETag nor Last-Modified".into(),
        figures: Vec::new(),
        items: Vec::new(),
        takes: Share::NotKnown("it depends on how often clients come back".into()),
        saves: Saves::NotKnown("it depends on how often clients come back".into()),
        removes: None,
        fix: Fix::advice("send an ETag"),
        check_again: "unladen weigh http://127.0.0.1:8080/".into(),
    };
    let cold = Finding {
        rule: "cold-start",
        summary: "the first request takes 24 times as long".into(),
        ..no_validator.clone()
    };
    Inside {
        url: "http://127.0.0.1:8080/index.php/Main_Page".into(),
        requests: 120,
        latency: Some(interval(24_000_000.0, 300_000.0)),
        totals: vec![
            total(php, "syscalls", Some("system calls"), 1_475.0, 3.2),
            total(php, "files.checked", Some("file checks"), 1_104.0, 3.0),
            total(php, "syscall.newfstatat", None, 850.0, 0.0),
            total("www-data nginx", "syscalls", Some("system calls"), 18.0, 0.0),
        ],
        statements: vec![
            StatementRow {
                group: php.into(),
                database: "127.0.0.1:3306".into(),
                statement: "select page_id, page_title from page where page_namespace = ? and page_title = ? limit ?"
                    .into(),
                calls: interval(12.0, 0.0),
                time: interval(3_100_000.0, 200_000.0),
            },
            StatementRow {
                group: php.into(),
                database: "127.0.0.1:3306".into(),
                statement: "commit".into(),
                calls: interval(1.0, 0.0),
                time: interval(410_000.0, 30_000.0),
            },
        ],
        next_step: Some(NextStep {
            url: "http://127.0.0.1:8080/index.php/Main_Page".into(),
            why: format!("14 ms of 18 ms of CPU a request are outside the findings, most by {php}"),
            command: "unladen profile http://127.0.0.1:8080/index.php/Main_Page".into(),
        }),
        findings: vec![storm, no_validator],
        fresh: Some(Fresh {
            restart: "systemctl restart php8.2-fpm".into(),
            requests: 12,
            latency: Some(interval(480_000_000.0, 12_000_000.0)),
            totals: vec![total(php, "syscalls", Some("system calls"), 9_120.0, 12.0)],
            findings: vec![cold],
        }),
        not_looked: vec![NotLooked {
            rules: vec!["recompile", "opcache-revalidation"],
            why: "php-fpm8.2 has no symbol `compile_file`".into(),
            takes: "a php that exports it, as Debian's".into(),
        }],
        unjudged: vec![Unjudged {
            what: "what was traced".into(),
            why: "3 events were lost: counts may be too low".into(),
            takes: "a quieter time".into(),
            rules: vec!["stat-storm"],
            bearing: Bearing::Here,
        }],
        lost: 3,
        gates: Vec::new(),
    }
}

/// A page.
pub(crate) fn answer(name: &str) -> Answer {
    Answer {
        request: format!("http://127.0.0.1:8080{name}"),
        status: 200,
        media_type: "text/html".into(),
        bytes: 24_871,
        decoded_bytes: Some(94_113),
        coding: "gzip".into(),
        title: "Main <Page>".into(),
        digest: "5ad2b3f1c09e8d47".into(),
        ..Answer::default()
    }
}

/// Of what answers nothing is told from its other work, and the database is elsewhere.
pub(crate) fn on_the_path() -> Weigh {
    let mut page = page("/index.php/Main_Page", 1.0);
    let php = "www-data php-fpm8.2";
    for row in page.weights.iter_mut().filter(|row| row.group == php) {
        (row.follows, row.share, row.user) = (false, None, None);
        row.per_request = estimate(26_000_000.0, 14_000_000.0);
    }
    for row in page.weights.iter_mut().filter(|row| row.group != "root sshd") {
        row.on_path = !row.is_machine;
    }
    let beyond = PeerSeen { peer: "10.0.0.5:5432".into(), protocol: Protocol::Postgres, why: Unseen::Elsewhere };
    page.path.seen = PathSeen { beyond: vec![beyond], unknown: None };
    page.capacity = None;
    if let Some(answer) = &mut page.answer {
        answer.doubts.push("a browser gets another answer: 302 to /login, 0 B.".into());
    }
    let unjudged = |what: &str, why: &str, takes: &str, bearing| Unjudged {
        what: what.into(),
        why: why.into(),
        takes: takes.into(),
        rules: if bearing == Bearing::Elsewhere { Vec::new() } else { vec!["stat-storm", "sleep"] },
        bearing,
    };
    page.inside = Some(Inside {
        findings: Vec::new(),
        fresh: None,
        not_looked: Vec::new(),
        unjudged: vec![
            unjudged(
                php,
                "on the path; 12 to 40 ms of CPU per request, not told from its other work",
                "a quieter time, or a longer one (--time)",
                Bearing::Here,
            ),
            unjudged(
                "10.0.0.5:5432 (PostgreSQL)",
                "on the path, and not looked at: nobody listens there in this machine's own network: another host, or a container's network",
                "unladen where it runs",
                Bearing::Elsewhere,
            ),
        ],
        lost: 0,
        ..inside()
    });
    let folder = "/var/lib/php/sessions".to_owned();
    let left_behind = Some(vec![LeftBehind { folder, files: 523, bytes: 2_142_208 }]);
    Weigh { left_behind, ..result(vec![page], vec![Warning::Strangers { strangers: 523 }]) }
}

pub(crate) fn found_inside() -> Weigh {
    let mut page = page("/index.php/Main_Page", 1.0);
    page.inside = Some(inside());
    result(vec![page], Vec::new())
}

pub(crate) fn nothing_follows() -> Weigh {
    let mut page = page("/", 1.0);
    for row in &mut page.weights {
        row.follows = false;
    }
    (page.total_cpu, page.capacity) = (None, None);
    result(vec![page], vec![Warning::NothingFollows])
}

/// A shop whose database is on a host of its own, beside an exporter that says little.
pub(crate) fn over_hosts() -> Weigh {
    let mut page = page("/index.php/Main_Page", 1.0);
    let total = page.total_cpu.map_or(0.0, |total| total.value);
    let there = |group: &str, counter, title, kind, value, margin| WeightRow {
        host: Some("db".into()),
        is_machine: group == "machine",
        ..row(&format!("db/{group}"), counter, title, kind, value, margin)
    };
    page.weights.push(there("mariadb.service", "cpu", "CPU", Kind::Time, 31_400_000.0, 420_000.0));
    page.weights.push(there("mariadb.service", "read_calls", "reads", Kind::Count, 84.0, 0.4));
    page.weights.push(there("machine", "tcp_segments_received", "TCP segments received", Kind::Count, 61.0, 0.8));
    let follower = there("cron.service", "cpu", "CPU", Kind::Time, 900.0, 31_000.0);
    page.weights.push(WeightRow { follows: false, ..follower });
    // Of the others the hypervisor took too much there.
    page.total_cpu = Some(Estimate { blocks: 12, ..estimate(total + 31_400_000.0, 510_000.0) });
    page.capacity = None;
    let taken = |peer: &str, group: &str, says: &[&str]| FarStation {
        peer: peer.into(),
        groups: vec![group.into()],
        certain: says.len() < 2,
        on_word_of: says.iter().map(|host| (*host).to_owned()).collect(),
    };
    page.path.elsewhere = vec![
        taken("10.0.0.2:3306", "db/mariadb.service", &["db"]),
        taken("10.0.0.9:6379", "cache/redis.service", &["cache", "db"]),
    ];
    let of = |host: Option<&str>, cpu: f64, margin: f64, most: Option<f64>| HostCpu {
        host: host.map(ToOwned::to_owned),
        cpu: estimate(cpu, margin),
        capacity: most.map(|most| Span { value: most, low: most * 0.98, high: most * 1.02 }),
    };
    page.by_host = vec![of(None, total, 190_000.0, Some(110.0)), of(Some("db"), 31_400_000.0, 420_000.0, Some(127.4))];
    let hosts = vec![
        WeighedHost {
            name: "db".into(),
            kind: "host".into(),
            round_trip_ns: Some(21_400_000),
            processors: Some(4),
            series: 712,
            blocks: 12,
            agent_share_of_core: Some(0.0042),
            ..WeighedHost::default()
        },
        WeighedHost {
            name: "cache".into(),
            kind: "host".into(),
            round_trip_ns: Some(800_000),
            processors: Some(2),
            series: 308,
            blocks: 3,
            gone: Some("the connection was closed: client_loop: send disconnect: Broken pipe".into()),
            ..WeighedHost::default()
        },
    ];
    let gone = Warning::HostGone {
        host: "cache".into(),
        blocks: 3,
        needed: 6,
        last_words: "the connection was closed: client_loop: send disconnect: Broken pipe".into(),
    };
    let settle = Warning::LongSettle {
        settle: Duration::from_millis(150),
        host: "db".into(),
        needed: Duration::from_millis(150),
    };
    Weigh { hosts, ..result(vec![page], vec![gone, settle]) }
}
