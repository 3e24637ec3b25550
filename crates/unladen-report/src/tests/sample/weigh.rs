//! Weights in the shape of a small MediaWiki.

use std::time::Duration;

use unladen_document::{
    About, Answer, Count, FarStation, HostCpu, Interval, LeftBehind, NextStep, NotFollowing, NotJudged, NotLookedFor,
    Path, Span, Statement, WeighDocument, WeighedHost, WeighedUrl, Weight,
};
use unladen_finding::{Bearing, Figure, Finding, Fix, Item, Removes, Saves, Share, Unjudged, Whole};
use unladen_trace::{PathSeen, PeerSeen, Protocol, Unseen};

use crate::finding::{written_finding, written_unjudged};
use crate::inside::{FRESH, Fresh, Inside, WARM};
use crate::warning::Warning;
use crate::weigh::*;

const URL: &str = "http://127.0.0.1:8080/index.php/Main_Page";

fn span(value: f64, margin: f64) -> Span {
    Span { value, low: value - margin, high: value + margin }
}

fn set(row: &mut Weight, value: f64, margin: f64) {
    (row.per_request, row.low, row.high, row.mean) = (value, value - margin, value + margin, value);
}

fn row(group: &str, counter: &str, title: &str, unit: &str, value: f64, margin: f64) -> Weight {
    let mut row = Weight {
        group: group.into(),
        counter: counter.into(),
        title: title.into(),
        unit: unit.into(),
        approximate: counter.starts_with("cpu_"),
        blocks: 15,
        noise_floor: margin / 10.0,
        adjusted_p: 0.0001,
        follows: true,
        ..Weight::default()
    };
    set(&mut row, value, margin);
    row
}

fn page(name: &str, scale: f64) -> WeighedPage {
    let php = "www-data php-fpm8.2";
    let nginx = "www-data nginx";
    let mut weights = vec![
        row(php, "cpu", "CPU", "ns", 17_918_223.0 * scale, 214_000.0),
        row(php, "cpu_user", "CPU in user mode", "ns", 15_200_000.0 * scale, 900_000.0),
        row(php, "cpu_system", "CPU in the kernel", "ns", 2_700_000.0 * scale, 900_000.0),
        row(php, "voluntary_switches", "switches, voluntary", "1", 1.02, 0.01),
        row(php, "minor_faults", "page faults, minor", "1", 12.4, 2.2),
        row(php, "read_calls", "read calls", "1", 161.0, 0.0),
        row(php, "read_bytes", "bytes read", "B", 1_234_567.0, 12_000.0),
        row(nginx, "cpu", "CPU", "ns", 212_345.0, 9_100.0),
        row(nginx, "voluntary_switches", "switches, voluntary", "1", 4.0, 0.0),
        row("machine", "loopback_bytes", "bytes over the loopback", "B", 26_300.0, 41.0),
    ];
    weights[0].share = Some(span(0.988, 0.001));
    weights[7].share = Some(span(0.012, 0.001));
    weights[0].user_share = Some(span(0.85, 0.02));
    weights[7].user_share = Some(span(0.2, 0.4));
    weights.push(Weight { follows: false, ..row("root sshd", "cpu", "CPU", "ns", 900.0, 31_000.0) });
    let url = format!("http://127.0.0.1:8080{name}");
    weights.iter_mut().for_each(|row| row.url.clone_from(&url));
    let values = [
        ("p50", 19_100_000),
        ("p90", 20_100_000),
        ("p99", 25_100_000),
        ("mean", 19_312_345),
        ("sd", 1_212_345),
        ("max", 31_212_345),
    ];
    let ends = [
        ("p50", Interval { low: 18_900_000, high: 19_400_000 }),
        ("p90", Interval { low: 19_900_000, high: 20_400_000 }),
        ("mean", Interval { low: 19_112_345, high: 19_512_345 }),
    ];
    let serves = |value: f64| Some(Span { value, low: value * 0.99, high: value * 1.01 });
    let phase = |i: u64, is_on| PhaseTrace {
        is_on,
        start: Duration::from_millis(500 * i),
        length: Duration::from_millis(500),
        cpu: vec![(php.into(), if is_on { 0.89 } else { 0.01 }), (nginx.into(), if is_on { 0.02 } else { 0.0 })],
    };
    WeighedPage {
        url: WeighedUrl {
            url,
            name: name.into(),
            http: "HTTP/1.1".into(),
            requests: 340,
            blocks: 15,
            response_bytes: 24_871,
            answer: Some(answer(name)),
            latency_ns: values.map(|(name, ns)| (name.to_owned(), ns)).into(),
            latency_intervals_ns: ends.map(|(name, ends)| (name.to_owned(), ends)).into(),
            connections: 1,
            changed_bodies: 339,
            client_cpu_ns: Some(span(88_000.0, 2_000.0)),
            total_cpu_ns: Some(span(18_130_568.0 * scale, 215_000.0)),
            not_following: Some(NotFollowing { groups: 14, cpu_ns: span(20_000.0, 310_000.0), noise_floor: 310_000.0 }),
            requests_per_core_second: serves(55.16 / scale),
            requests_per_machine_second: serves(110.32 / scale),
            path: Path { groups: vec![nginx.into(), php.into()], ..Path::default() },
            ..WeighedUrl::default()
        },
        weights,
        trace: [true, false, false, true, false, true, true, false]
            .into_iter()
            .zip(0..)
            .map(|(on, i)| phase(i, on))
            .collect(),
        inside: None,
    }
}

fn result(pages: Vec<WeighedPage>, warnings: &[Warning]) -> Weigh {
    let run = WeighDocument {
        about: About { seed: Some(42), ..About::default() },
        elapsed_ns: 30_212_000_000,
        phase_ns: 500_000_000,
        settle_ns: 100_000_000,
        concurrency: 1,
        keep_alive: true,
        keep_cookies: true,
        processors: 2,
        background_cores: 0.04,
        probe_share_of_core: 0.0007,
        ended: "complete".into(),
        left_behind: Some(Vec::new()),
        warnings: warnings.iter().map(ToString::to_string).collect(),
        ..WeighDocument::default()
    };
    Weigh { run, pages }
}

pub(crate) fn one_page() -> Weigh {
    let page = page("/index.php/Main_Page", 1.0);
    let changes = Warning::BodyChanges { url: page.url.name.clone(), changed: 339, requests: 340 };
    let shortfall = Warning::Shortfall {
        missing: vec![
            "read, write and disk counts of other users' processes".into(),
            "executables of other users' processes".into(),
        ],
        takes: "root".into(),
    };
    result(vec![page], &[changes, shortfall])
}

pub(crate) fn two_pages() -> Weigh {
    result(vec![page("/index.php/Main_Page", 1.0), page("/index.php/Special:Version", 3.2)], &[])
}

fn interval(value: f64, margin: f64) -> unladen_trace::Interval {
    unladen_trace::Interval { value, low: value - margin, high: value + margin }
}

fn count(group: &str, state: &str, counter: &str, value: f64, margin: f64) -> Count {
    Count {
        url: URL.into(),
        state: state.into(),
        group: group.into(),
        counter: counter.into(),
        per_request: value,
        low: value - margin,
        high: value + margin,
        noise_floor: 0.0,
        invalid: Inside::is_of_events(counter),
    }
}

fn statement(statement: &str, calls: f64, (time, margin): (f64, f64)) -> Statement {
    Statement {
        url: URL.into(),
        group: "www-data php-fpm8.2".into(),
        database: "127.0.0.1:3306".into(),
        statement: statement.into(),
        calls: span(calls, 0.0),
        time_ns: span(time, margin),
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
            time: unladen_trace::Interval { value: 2_100_000.0, low: 900_000.0, high: 4_200_000.0 },
            part: unladen_trace::Interval { value: 0.088, low: 0.04, high: 0.175 },
        },
        saves: Saves::AtMost { of: Whole::Latency, time: 2_630_000.0, part: 0.11 },
        removes: Some(Removes { what: "checks", calls: 692.0, of: 1_104.0 }),
        fix: Fix {
            developers: Some("for the developers of the application: avoid searching".into()),
            ..Fix::advice("let the opcode cache answer for the files that it has")
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
    let nginx = "www-data nginx";
    let select = "select page_id, page_title from page where page_namespace = ? and page_title = ? limit ?";
    Inside {
        url: URL.into(),
        requests: 120,
        counts: vec![
            count(php, WARM, "syscalls", 1_475.0, 3.2),
            count(php, WARM, "files.checked", 1_104.0, 3.0),
            count(php, WARM, "syscall.newfstatat", 850.0, 0.0),
            count(nginx, WARM, "syscalls", 18.0, 0.0),
            count(php, FRESH, "syscalls", 9_120.0, 12.0),
        ],
        statements: vec![
            statement(select, 12.0, (3_100_000.0, 200_000.0)),
            statement("commit", 1.0, (410_000.0, 30_000.0)),
        ],
        next_step: Some(NextStep {
            url: URL.into(),
            why: format!("14 ms of 18 ms of CPU per request are outside the findings, most by {php}"),
            command: "unladen profile http://127.0.0.1:8080/index.php/Main_Page".into(),
        }),
        findings: vec![
            written_finding(URL, WARM, &storm),
            written_finding(URL, WARM, &no_validator),
            written_finding(URL, FRESH, &cold),
        ],
        fresh: Some(Fresh {
            restart: "systemctl restart php8.2-fpm".into(),
            requests: 12,
            latency: Some(span(480_000_000.0, 12_000_000.0)),
        }),
        not_looked_for: vec![NotLookedFor {
            url: URL.into(),
            rules: vec!["recompile".into(), "opcache-revalidation".into()],
            why: "php-fpm8.2 has no symbol `compile_file`".into(),
            takes: "a php that exports it, as Debian's".into(),
        }],
        not_judged: vec![unjudged(
            "what was traced",
            "3 events were lost: counts may be too low",
            "a quieter time",
            vec!["stat-storm"],
            Bearing::Here,
        )],
        lost: 3,
        gates: Vec::new(),
    }
}

fn unjudged(what: &str, why: &str, takes: &str, rules: Vec<&'static str>, bearing: Bearing) -> NotJudged {
    let [what, why, takes] = [what, why, takes].map(str::to_owned);
    written_unjudged(URL, Unjudged { what, why, takes, rules, bearing })
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
        (row.follows, row.share, row.user_share) = (false, None, None);
        set(row, 26_000_000.0, 14_000_000.0);
    }
    for row in page.weights.iter_mut().filter(|row| row.group != "root sshd") {
        row.on_path = !row.is_machine();
    }
    let beyond = PeerSeen { peer: "10.0.0.5:5432".into(), protocol: Protocol::Postgres, why: Unseen::Elsewhere };
    let seen = PathSeen { beyond: vec![beyond], unknown: None };
    page.url.path = path_of(page.url.path.groups, Vec::new(), &seen);
    (page.url.requests_per_core_second, page.url.requests_per_machine_second) = (None, None);
    if let Some(answer) = &mut page.url.answer {
        answer.doubts.push("a browser gets a different answer: 302 to /login, 0 B.".into());
    }
    let mut inside = inside();
    (inside.fresh, inside.lost) = (None, 0);
    inside.findings.clear();
    inside.not_looked_for.clear();
    inside.counts.retain(|count| count.state == WARM);
    inside.counts.iter_mut().for_each(|count| count.invalid = false);
    inside.not_judged = vec![
        unjudged(
            php,
            "on the path; 12 to 40 ms of CPU per request, not distinguishable from its other work",
            "a quieter time, or a longer one (--time)",
            vec!["stat-storm", "sleep"],
            Bearing::Here,
        ),
        unjudged(
            "10.0.0.5:5432 (PostgreSQL)",
            "on the path, but not examined: no process on this machine's own network listens there: it is on another \
             host, or in a container's network",
            "unladen on its server",
            Vec::new(),
            Bearing::Elsewhere,
        ),
    ];
    page.inside = Some(inside);
    let folder = "/var/lib/php/sessions".to_owned();
    let mut weigh = result(vec![page], &[Warning::Strangers { strangers: 523 }]);
    weigh.run.left_behind = Some(vec![LeftBehind { folder, files: 523, bytes: 2_142_208 }]);
    weigh
}

pub(crate) fn found_inside() -> Weigh {
    let mut page = page("/index.php/Main_Page", 1.0);
    page.inside = Some(inside());
    result(vec![page], &[])
}

pub(crate) fn nothing_follows() -> Weigh {
    let mut page = page("/", 1.0);
    for row in &mut page.weights {
        row.follows = false;
    }
    let url = &mut page.url;
    (url.total_cpu_ns, url.requests_per_core_second, url.requests_per_machine_second) = (None, None, None);
    result(vec![page], &[Warning::NothingFollows])
}

/// A shop whose database is on a host of its own, beside an exporter that says little.
pub(crate) fn over_hosts() -> Weigh {
    let mut page = page("/index.php/Main_Page", 1.0);
    let total = page.url.total_cpu_ns.map_or(0.0, |total| total.value);
    let url = page.url.url.clone();
    let there = |group: &str, counter, title, unit, value, margin| Weight {
        url: url.clone(),
        host: Some("db".into()),
        ..row(&format!("db/{group}"), counter, title, unit, value, margin)
    };
    page.weights.push(there("mariadb.service", "cpu", "CPU", "ns", 31_400_000.0, 420_000.0));
    page.weights.push(there("mariadb.service", "read_calls", "reads", "1", 84.0, 0.4));
    page.weights.push(there("machine", "tcp_segments_received", "TCP segments received", "1", 61.0, 0.8));
    let follower = there("cron.service", "cpu", "CPU", "ns", 900.0, 31_000.0);
    page.weights.push(Weight { follows: false, ..follower });
    // Of the others the hypervisor took too much there.
    page.url.total_blocks = Some(12);
    page.url.total_cpu_ns = Some(span(total + 31_400_000.0, 510_000.0));
    (page.url.requests_per_core_second, page.url.requests_per_machine_second) = (None, None);
    let taken = |peer: &str, group: &str, says: &[&str]| FarStation {
        peer: peer.into(),
        groups: vec![group.into()],
        certain: says.len() < 2,
        on_word_of: says.iter().map(|host| (*host).to_owned()).collect(),
    };
    page.url.path.elsewhere = vec![
        taken("10.0.0.2:3306", "db/mariadb.service", &["db"]),
        taken("10.0.0.9:6379", "cache/redis.service", &["cache", "db"]),
    ];
    let of = |host: Option<&str>, cpu: f64, margin: f64, most: Option<f64>| HostCpu {
        host: host.map(ToOwned::to_owned),
        cpu_ns: span(cpu, margin),
        blocks: Some(15),
        requests_per_machine_second: most.map(|most| Span { value: most, low: most * 0.98, high: most * 1.02 }),
    };
    page.url.by_host =
        vec![of(None, total, 190_000.0, Some(110.0)), of(Some("db"), 31_400_000.0, 420_000.0, Some(127.4))];
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
    let mut weigh = result(vec![page], &[gone, settle]);
    weigh.run.hosts = hosts;
    weigh
}
