//! Evidence for the tests of rules: a page that does nothing, to which each test adds what its rule looks for.
#![allow(dead_code, reason = "no test needs all of it")]

use unladen_prove::Experiment;
use unladen_trace::{
    CallerSeen, Counted, Evidence, EvidenceSource, FileCall, FileOutcome, FileSeen, FunctionSeen, GroupSeen, Interval,
    Page, PathSeen, PhaseSeen, Phases, PhpSettings, ProfileSeen, QuerySeen, Series,
};

use crate::experiment::{Sent, experiment};
use crate::finding::{Finding, Rule, Saves, Share};
use crate::knob::Knob;

/// Blocks of four phases.
pub(crate) const BLOCKS: usize = 6;
/// Requests in each phase that is on.
pub(crate) const REQUESTS: u64 = 50;
/// Phases.
const PHASES: usize = BLOCKS * 4;

/// Group 0: `www-data php-fpm8.2`.
pub(crate) const PHP: usize = 0;
/// Group 1: `www-data nginx`.
pub(crate) const NGINX: usize = 1;
/// Group 2: `sympa wwsympa.fcgi`, a Perl.
pub(crate) const PERL: usize = 2;
/// Group 3: `app python3.11`.
pub(crate) const PYTHON: usize = 3;

/// A page that takes 20 ms and 15 ms of CPU and in which nothing was seen, though everything was looked at, but for
/// first requests: 6 blocks of phases of a second, 50 requests in each that is on.
pub(crate) fn lean() -> Evidence {
    let mut phases = Phases::default();
    for phase in 0..PHASES {
        phases.push(PhaseSeen { on: is_on(phase), duration_ns: 1_000_000_000, requests: REQUESTS });
    }
    let group = |name: &str, exe: &str| GroupSeen {
        name: name.into(),
        exe: Some(exe.into()),
        cpu: Some(around(4e6, 0.1e6)),
        on_path: true,
        untold: None,
        container: None,
        server: None,
    };
    Evidence {
        page: Page {
            url: "http://127.0.0.1/page".into(),
            method: "GET".into(),
            requests: phases.requests(),
            latency: Some(around(20e6, 0.2e6)),
            cpu: Some(around(15e6, 0.1e6)),
            ..Page::default()
        },
        groups: vec![
            group("www-data php-fpm8.2", "/usr/sbin/php-fpm8.2"),
            group("www-data nginx", "/usr/sbin/nginx"),
            group("sympa wwsympa.fcgi", "/usr/bin/perl"),
            group("app python3.11", "/usr/bin/python3.11"),
        ],
        phases,
        path: Some(PathSeen::default()),
        sources: vec![
            EvidenceSource::Syscalls,
            EvidenceSource::Processes,
            EvidenceSource::Php,
            EvidenceSource::Perl,
            EvidenceSource::Sqlite,
            EvidenceSource::Response,
            EvidenceSource::PhpSettings,
        ],
        ..Evidence::default()
    }
}

/// A value ± margin.
pub(crate) fn around(value: f64, margin: f64) -> Interval {
    Interval { value, low: value - margin, high: value + margin }
}

/// So much in each request.
pub(crate) fn each(count: u64) -> Series {
    with(count, 0)
}

/// So much in each request, and so much in every phase besides, on or off.
pub(crate) fn with(count: u64, background: u64) -> Series {
    (0..PHASES).map(|phase| background + if is_on(phase) { count * REQUESTS } else { 0 }).collect()
}

/// So much in each request, give or take `spread` from phase to phase.
pub(crate) fn about(count: u64, spread: u64) -> Series {
    let deviation = |phase: usize| (phase as u64 * 7 + 3) % (2 * spread + 1);
    (0..PHASES)
        .map(|phase| if is_on(phase) { (count + deviation(phase)).saturating_sub(spread) * REQUESTS } else { 0 })
        .collect()
}

/// Once in so many requests (at most [`REQUESTS`]).
pub(crate) fn once_in(requests: u64) -> Series {
    (0..PHASES).map(|phase| if is_on(phase) { REQUESTS / requests } else { 0 }).collect()
}

/// So often in one phase alone, which is on: a cache that was filled, say.
pub(crate) fn once(count: u64) -> Series {
    let mut series = Series::default();
    series.add(0, count);
    series
}

/// So often in each request, each taking so long.
pub(crate) fn counted(count: u64, ns_each: u64) -> Counted {
    counted_of(each(count), ns_each, if count > 0 { each(1) } else { Series::default() })
}

/// A count, each of it taking so long, in so many requests.
pub(crate) fn counted_of(count: Series, ns_each: u64, requests: Series) -> Counted {
    Counted { time_ns: count.times(ns_each), count, requests }
}

/// A call upon a file in each request, taking 1 µs.
pub(crate) fn file(group: usize, call: FileCall, path: &str, outcome: FileOutcome, count: u64) -> FileSeen {
    FileSeen { group, call, path: path.into(), outcome, counted: counted(count, 1_000) }
}

/// Settings of Debian's PHP 8.2 in a pool.
pub(crate) fn php(settings: &[(&str, &str)]) -> PhpSettings {
    PhpSettings {
        group: PHP,
        ini: "/etc/php/8.2/fpm/php.ini".into(),
        ini_folder: "/etc/php/8.2/fpm/conf.d".into(),
        fpm_config: "/etc/php/8.2/fpm/pool.d/www.conf".into(),
        extensions: vec!["Core".into(), "Zend OPcache".into()],
        settings: settings.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect(),
        ..PhpSettings::default()
    }
}

/// A warm page that takes 20 ms, profiled by time.
pub(crate) fn profile(functions: Vec<FunctionSeen>) -> Evidence {
    let whole = Some(around(20e6, 0.2e6));
    let profile = ProfileSeen { group: PERL, profiler: "nytprof".into(), whole, functions, ..ProfileSeen::default() };
    Evidence { sources: vec![EvidenceSource::Profile], profile: Some(profile), ..lean() }
}

/// A function with the part that it takes by itself, and with all that it calls; each ± 1 %.
pub(crate) fn function(name: &str, own: f64, all: f64) -> FunctionSeen {
    FunctionSeen { name: name.into(), own: around(own, 0.01), all: around(all, 0.01), ..FunctionSeen::default() }
}

/// The same, called so often a request by one caller.
pub(crate) fn called(name: &str, own: f64, all: f64, calls: f64, by: &str) -> FunctionSeen {
    FunctionSeen { calls: Some(calls), callers: vec![caller(by, calls)], ..function(name, own, all) }
}

/// A caller.
pub(crate) fn caller(name: &str, calls: f64) -> CallerSeen {
    CallerSeen { name: name.into(), part: 0.0, calls: Some(calls) }
}

/// The one finding of a rule. What switches its fix is read by `unladen prove` as it is written.
pub(crate) fn only(rule: &Rule, evidence: &Evidence) -> Finding {
    let mut found = rule.check(evidence);
    assert_eq!(found.len(), 1, "{found:#?}");
    let found = found.remove(0);
    if let Some(knob) = &found.fix.knob {
        let mut sent = Sent::of(evidence);
        // Where no command is known, the user gives one.
        sent.restart.get_or_insert_with(|| "systemctl restart 'an app'".into());
        read_back(knob, &sent);
    }
    found
}

/// Writes an experiment, reads it as `unladen prove` does, and compares what it is of: its request, what its knob
/// switches, and what is restarted.
pub(crate) fn read_back(knob: &Knob, sent: &Sent) -> Experiment {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("01-rule.toml");
    let head = ["Of unladen\nurl = \"no\"".to_owned()];
    let text = experiment(&head, "a title", "01-rule", knob, sent).expect("all is known");
    std::fs::write(&file, &text).unwrap();
    let read = Experiment::read(&file).unwrap_or_else(|error| panic!("{error}\n{text}"));

    assert_eq!(read.title, "a title");
    let [line] = read.urls.as_slice() else { panic!("{text}") };
    assert_eq!(line.url.as_str(), url::Url::parse(&sent.url).unwrap().as_str(), "{text}");
    let method = read.load.method.as_ref().map_or("GET", |method| method.as_str());
    assert_eq!(method, if sent.method.is_empty() { "GET" } else { &sent.method }, "{text}");
    assert_eq!(read.load.body, sent.body.clone().unwrap_or_default(), "{text}");
    let line = |name: &str, value: &[u8]| format!("{name}: {}", std::str::from_utf8(value).unwrap());
    let headers: Vec<String> =
        read.load.headers.iter().map(|header| line(header.name().as_str(), header.value().as_bytes())).collect();
    for header in &sent.headers {
        assert!(headers.contains(header), "{header}: {text}");
    }
    let arms = read.arms();
    assert_eq!((arms.len(), arms[2].name.as_str()), (3, knob.name.as_str()), "{text}");
    let [switched] = read.knobs.as_slice() else { panic!("{text}") };
    let changes: Vec<String> = switched.changes.iter().map(|change| change.what()).collect();
    for part in &knob.files {
        let path = folder.path().canonicalize().unwrap().join(&part.file);
        assert!(changes.contains(&format!("the file {}", path.display())), "{changes:?}: {text}");
    }
    let commands = knob.commands.iter().flat_map(|(on, off)| [on, off]);
    for command in commands {
        assert!(changes.contains(&format!("the command `{command}`")), "{changes:?}: {text}");
    }
    if let Some(site) = &knob.site {
        assert!(changes.contains(&format!("the URL {}", url::Url::parse(&site.url).unwrap())), "{changes:?}: {text}");
        assert!(headers.iter().any(|header| header.starts_with("host: ")), "{text}");
    }
    let services = usize::from(knob.service.is_some());
    assert_eq!((read.services.len(), switched.restart.len()), (services, services), "{text}");
    read
}

/// That a rule finds nothing.
pub(crate) fn silent(rule: &Rule, evidence: &Evidence) {
    let found = rule.check(evidence);
    assert!(found.is_empty(), "{found:#?}");
}

/// The part of a share that is known.
pub(crate) fn part(finding: &Finding) -> Interval {
    match &finding.takes {
        Share::Known { part, .. } => *part,
        Share::NearlyAll(why) | Share::NotKnown(why) => panic!("the share is not known: {why}"),
    }
}

/// on-off-off-on, off-on-on-off, and so forth.
fn is_on(phase: usize) -> bool {
    matches!(phase % 8, 0 | 3 | 5 | 6)
}

/// A statement of PHP's that is executed so many times in each request, so many of them with the same values.
pub(crate) fn query(count: u64, identical: u64) -> QuerySeen {
    QuerySeen {
        group: PHP,
        counted: counted(count, 100_000),
        identical: each(identical),
        distinct: each(count - identical),
        ..QuerySeen::default()
    }
}

/// What the fix removes of all calls, and what it saves at most, as a part of what these take.
pub(crate) fn partly(finding: &Finding) -> (&'static str, f64, f64, f64) {
    let removes = finding.removes.as_ref().unwrap_or_else(|| panic!("it removes all: {finding:#?}"));
    let Saves::AtMost { time, .. } = finding.saves else { panic!("no bound: {finding:#?}") };
    let Share::Known { time: takes, .. } = finding.takes else { panic!("not known: {finding:#?}") };
    (removes.what, removes.calls, removes.of, time / takes.high)
}

/// Whether a saving is about such a part.
pub(crate) fn is_about(part: f64, expected: f64) -> bool {
    (part - expected).abs() < 1e-6
}
