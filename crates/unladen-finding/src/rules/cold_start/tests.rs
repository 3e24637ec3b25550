use unladen_trace::{BodyCarried, CompileSeen, FileCall, FileOutcome, HeaderCarried, Language, OptionCarried};

use super::*;
use crate::rules::tests::testing::*;

fn fresh(first: Interval, later: Interval) -> Evidence {
    let mut evidence = Evidence { state: State::Fresh, ..lean() };
    evidence.page.latency = Some(first);
    evidence.page.warm_latency = Some(later);
    evidence.page.restart = Some("systemctl restart wwsympa".into());
    evidence
}

#[test]
fn the_first_request_of_a_fresh_process() {
    let mut evidence = fresh(around(1.9e9, 0.02e9), around(58e6, 1e6));
    evidence.groups[PERL].cpu = Some(around(1e9, 1e6));
    evidence.compiles =
        vec![CompileSeen { group: PERL, language: Language::Perl, path: String::new(), counted: counted(312, 1_000) }];
    evidence.files = vec![
        file(PERL, FileCall::Stat, "/etc/sympa/sympa.conf", FileOutcome::Found, 19_662),
        file(PERL, FileCall::Open, "/etc/sympa/sympa.conf", FileOutcome::Found, 400),
        file(PERL, FileCall::Open, "/etc/sympa/none", FileOutcome::Missing, 8),
    ];
    let found = only(&RULE, &evidence);
    assert_eq!(
        found.summary,
        "1.9 s for the first request of a fresh process, 32.76 ± 0.67 times as long as later ones"
    );
    assert_eq!(found.group, "sympa wwsympa.fcgi");
    let items: Vec<_> = found.items.iter().map(|item| (item.name.as_str(), item.per_request)).collect();
    assert_eq!(items, [("file checks", 19_662.0), ("files opened", 400.0), ("Perl files compiled", 312.0)]);
    // All but 58 ms of 1.9 s.
    assert!((part(&found).value - (1.0 - 58.0 / 1900.0)).abs() < 1e-9, "{found:?}");
    assert_eq!(found.fix.lines, ["cache_list_config binary_file"]);
    assert_eq!(found.check_again, "unladen weigh --restart 'systemctl restart wwsympa' http://127.0.0.1/page");
}

#[test]
fn twice_as_long_and_fifty_milliseconds() {
    assert_eq!(RULE.check(&fresh(around(240e6, 1e6), around(100e6, 1e6))).len(), 1);
    silent(&RULE, &fresh(around(200e6, 1e6), around(100e6, 1e6)));
    silent(&RULE, &fresh(around(50e6, 1e6), around(10e6, 1e6)));
    silent(&RULE, &fresh(around(240e6, 200e6), around(100e6, 1e6)));
    silent(&RULE, &lean());
    silent(&RULE, &Evidence::default());
    silent(&RULE, &Evidence { state: State::Fresh, ..Evidence::default() });
}

#[test]
fn one_first_request_tells_how_to_look() {
    let mut evidence = lean();
    evidence.page.first_ns = Some(800_000_000);
    let found = only(&RULE, &evidence);
    assert_eq!(found.summary, "the first request took 800 ms, later ones 20 ms");
    assert!(matches!(found.takes, Share::NotKnown(_)), "{found:?}");
    assert_eq!(found.check_again, "unladen weigh --restart 'systemctl restart php8.2-fpm' http://127.0.0.1/page");
    assert_eq!(found.fix.lines, ["opcache.file_cache=/var/cache/php-opcache"]);
    assert_eq!(
        found.fix.commands,
        ["install -d -m 700 -o www-data /var/cache/php-opcache", "systemctl reload php8.2-fpm"]
    );

    evidence.page.first_ns = Some(70_000_000);
    assert_eq!(RULE.check(&evidence).len(), 1);
    evidence.page.first_ns = Some(69_000_000);
    silent(&RULE, &evidence);
    evidence.page.latency = Some(around(300e6, 1e6));
    evidence.page.first_ns = Some(899_000_000);
    silent(&RULE, &evidence);
}

#[test]
fn other_stacks_load_before_they_fork() {
    let mut evidence = lean();
    evidence.page.first_ns = Some(800_000_000);
    evidence.groups.remove(PERL);
    evidence.groups[2].cpu = Some(around(9e6, 1e6));
    assert!(only(&RULE, &evidence).fix.advice.contains("gunicorn --preload"));
}

/// Sympa makes 601 lock files in its first request: the table told of 823 files opened, the finding of 222.
#[test]
fn what_the_first_request_did_was_counted_otherwise_than_in_the_table() {
    let mut evidence = fresh(around(1.9e9, 0.02e9), around(58e6, 1e6));
    evidence.files = vec![
        file(PERL, FileCall::Open, "/etc/sympa/sympa.conf", FileOutcome::Found, 222),
        file(PERL, FileCall::Create, "/srv/sympa/lock", FileOutcome::Found, 601),
        file(PERL, FileCall::Open, "/srv/sympa/none", FileOutcome::Missing, 422),
        file(PERL, FileCall::Stat, "/srv/sympa/list", FileOutcome::Found, 5_870),
    ];
    let found = only(&RULE, &evidence);
    let totals = evidence.totals();
    for item in &found.items {
        let total = totals.iter().find(|total| total.title == Some(item.name.as_str())).unwrap();
        assert!((total.per_request.value - item.per_request).abs() < 1e-9, "{item:?}");
    }
    assert_eq!(found.items.len(), 2, "{:?}", found.items);
}

/// With `cache_list_config binary_file` Sympa's first request still takes twice as long as later ones.
#[test]
fn what_is_set_already_was_advised() {
    let mut evidence = fresh(around(190e6, 20e6), around(78e6, 1e6));
    evidence.groups[PERL].cpu = Some(around(1e9, 1e6));
    evidence.files = vec![file(PERL, FileCall::Stat, "/srv/sympa/list/config.bin", FileOutcome::Missing, 100)];
    assert_eq!(only(&RULE, &evidence).fix.lines, ["cache_list_config binary_file"]);
    evidence.files.push(file(PERL, FileCall::Open, "/srv/sympa/list/config.bin", FileOutcome::Found, 100));
    let fix = only(&RULE, &evidence).fix;
    assert!(fix.lines.is_empty() && fix.advice.contains("send a request when the service starts"), "{fix:?}");
}

#[test]
fn a_first_request_that_was_slow_by_chance_was_a_cold_start() {
    let mut evidence = lean();
    evidence.page.first_ns = Some(76_000_000);
    evidence.page.longest_ns = Some(40_000_000);
    only(&RULE, &evidence);
    // On a busy machine others took as long.
    evidence.page.longest_ns = Some(90_000_000);
    silent(&RULE, &evidence);
}

/// It stood in place of the twelve that were measured, and advised to measure them.
#[test]
fn one_first_request_was_told_beside_those_that_were_measured() {
    let mut evidence = lean();
    evidence.page.first_ns = Some(800_000_000);
    only(&RULE, &evidence);
    evidence.sources.push(EvidenceSource::Restarts);
    silent(&RULE, &evidence);
}

/// Without its Host header the page of a virtual host was another site's, and curl refused the certificate.
#[test]
fn the_request_at_the_start_was_not_the_weighed_one() {
    let mut evidence = lean();
    evidence.page.first_ns = Some(800_000_000);
    evidence.page.url = "https://127.0.0.1/a%20page?q=$1".into();
    let header = |name: &str, value: Option<&str>| HeaderCarried { name: name.into(), value: value.map(str::to_owned) };
    evidence.page.carried.headers = vec![header("host", Some("rt.example")), header("cookie", None)];
    evidence.page.carried.options = vec![OptionCarried { name: "--insecure".into(), value: None }];
    let advice = only(&RULE, &evidence).fix.advice;
    assert!(
        advice.contains(
            "(ExecStartPost=-curl -g -s -o /dev/null --retry 5 --retry-connrefused -k -H 'host: rt.example' \
             'https://127.0.0.1/a%%20page?q=$$1')"
        ),
        "{advice}"
    );
}

/// A form was posted at each start, and by GET; a service that was not quick enough was stopped.
#[test]
fn what_changes_something_was_sent_at_each_start() {
    let advice = |method: &str, body: Option<&str>| {
        let mut evidence = lean();
        evidence.page.first_ns = Some(800_000_000);
        evidence.page.url = "http://a/?ids[]=1".into();
        evidence.page.method = method.into();
        evidence.page.carried.body = body.map(|text| BodyCarried { bytes: 1, text: Some(text.to_owned()) });
        only(&RULE, &evidence).fix.advice
    };
    let get = advice("GET", None);
    assert!(get.contains("=-curl -g ") && get.contains(" --retry-connrefused 'http://a/?ids[]=1')"), "{get}");
    assert!(advice("HEAD", None).contains(" -I 'http"));
    for (method, body) in [("POST", None), ("POST", Some("a")), ("GET", Some("a")), ("DELETE", None)] {
        let told = advice(method, body);
        assert!(!told.contains("http://a/") && told.contains("changes nothing"), "{told}");
    }
}
