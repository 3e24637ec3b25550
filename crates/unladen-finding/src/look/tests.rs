use proptest::prelude::*;
use unladen_trace::{
    CompileSeen, ConnectionSeen, CounterSeen, DnsSeen, FileCall, FileOutcome, Language, LockCall, LockKind, LockSeen,
    LogSeen, LogSink, ProcessSeen, Protocol, QuerySeen, SleepSeen,
};

use super::*;
use crate::finding::{Saves, Share, Whole};
use crate::rules::tests::testing::{PERL, PHP, around, counted, each, file, lean, query};

#[test]
fn a_restart_that_failed_was_passed_over() {
    let mut evidence = Evidence { sources: vec![EvidenceSource::Syscalls], ..Evidence::default() };
    let lists = |evidence: &Evidence| unlooked(evidence).any(|lacking| lacking.rule.name() == "cold-start");
    assert!(!lists(&evidence), "nobody asked for it");
    let why = "--restart: `false` failed".to_owned();
    evidence.missing.push(Missing { source: EvidenceSource::Restarts, why, takes: String::new() });
    assert!(lists(&evidence));
}

#[test]
fn a_php_that_could_not_be_looked_into_was_not_told() {
    let why = "/opt/php: cannot attach to its function compile_file".to_owned();
    let missing = Missing { source: EvidenceSource::Php, why, takes: String::new() };
    let sources = vec![
        EvidenceSource::Syscalls,
        EvidenceSource::Processes,
        EvidenceSource::Response,
        EvidenceSource::PhpSettings,
        EvidenceSource::Perl,
    ];
    let mut evidence = Evidence { sources, ..Evidence::default() };
    assert!(unlooked(&evidence).all(|lacking| lacking.rule.name() != "recompile"), "no PHP, nothing to miss");
    evidence.missing.push(missing);
    let lacking: Vec<_> = unlooked(&evidence).filter(|lacking| lacking.source == EvidenceSource::Php).collect();
    assert_eq!(lacking.iter().map(|lacking| lacking.rule.name()).collect::<Vec<_>>(), ["recompile"]);
}

/// A page that does all that rules on tracing look for, each call of which takes so long.
fn wasteful(call_ns: u64) -> Evidence {
    let of = |count| counted(count, call_ns);
    let connection = |protocol, peer: &str| ConnectionSeen {
        group: PHP,
        peer: peer.into(),
        protocol,
        opened: of(2),
        handshakes: of(2),
        logins: of(2),
        exchanges: of(2),
        unused: each(1),
        ..ConnectionSeen::default()
    };
    let names = (0..200).map(|n| file(PHP, FileCall::Stat, &format!("/srv/{n}.php"), FileOutcome::Missing, 2));
    let written = file(PHP, FileCall::Create, "/srv/cache/1", FileOutcome::Found, 2);
    let mut files: Vec<_> = names.chain([written]).collect();
    files.iter_mut().for_each(|file| file.counted.time_ns = file.counted.count.times(call_ns));
    let sent =
        |count, text: &str| QuerySeen { fingerprint: text.into(), counted: of(count), ..query(count, count / 2) };
    Evidence {
        files,
        sleeps: vec![SleepSeen { group: PHP, counted: of(1) }],
        compiles: vec![CompileSeen { group: PERL, language: Language::Perl, path: "/a.pm".into(), counted: of(9) }],
        processes: vec![ProcessSeen { group: PHP, program: "/bin/sh".into(), started: each(3), cpu_ns: each(call_ns) }],
        locks: vec![LockSeen {
            group: PHP,
            kind: LockKind::Call(LockCall::Flock),
            path: "/srv/lock".into(),
            counted: of(50),
        }],
        logs: vec![LogSeen { group: PHP, sink: LogSink::Syslog, counted: of(50), ..LogSeen::default() }],
        dns: vec![DnsSeen {
            group: PHP,
            name: "api.example".into(),
            kind: "A".into(),
            counted: of(5),
            ..DnsSeen::default()
        }],
        connections: vec![
            connection(Protocol::Mysql, "/run/mysqld/mysqld.sock"),
            connection(Protocol::Http, "10.0.0.4:80"),
            connection(Protocol::Tls, "10.0.0.5:443"),
        ],
        queries: vec![sent(40, "select a from b where c = ?"), sent(12, "select 1 from b")],
        ..lean()
    }
}

proptest! {
    /// 76 ms of a request of 56 ms were told on a busy machine: what was traced is another measurement than the page's.
    #[test]
    fn a_finding_took_more_than_there_was(
        call_ns in 1_u64..50_000_000,
        latency in 1e5_f64..1e9,
        cpu in 1e5_f64..1e9,
        traced in prop::option::of(1_u64..1_000_000_000),
    ) {
        let mut evidence = wasteful(call_ns);
        evidence.page.latency = Some(around(latency, latency / 50.0));
        evidence.page.cpu = Some(around(cpu, cpu / 20.0));
        evidence.counters = traced
            .map(|ns| CounterSeen { group: PHP, name: "cpu_traced_ns".into(), count: each(ns) })
            .into_iter()
            .collect();
        let found = look(&evidence);
        prop_assert!(found.len() > 8, "{:?}", found.iter().map(|finding| finding.rule).collect::<Vec<_>>());
        let most = |of| if of == Whole::Cpu { evidence.page.cpu } else { evidence.page.latency }.map_or(0.0, |most| most.high);
        for finding in found {
            if let Share::Known { of, time, part } = finding.takes {
                prop_assert!(time.low <= time.value && time.value <= time.high && time.high <= most(of), "{}", finding.rule);
                prop_assert!(0.0 <= part.low && part.high <= 1.0, "{}", finding.rule);
            }
            if let Some(removes) = finding.removes {
                prop_assert!(removes.calls < removes.of, "{}: {}", finding.rule, removes.told());
            }
            if let Saves::AtMost { of, time, part } = finding.saves {
                prop_assert!(time <= most(of) * 1.000_001 && part <= 1.0, "{}: {time}", finding.rule);
            }
        }
    }
}
