use unladen_trace::{ConnectionSeen, FileCall, FileOutcome, LockCall, LockKind, LockSeen};

use super::*;
use crate::rules::tests::testing::*;

fn opened(times: u64) -> Evidence {
    let mut evidence = lean();
    evidence.files = vec![file(PHP, FileCall::Open, "/srv/app/config.ini", FileOutcome::Found, times)];
    evidence
}

#[test]
fn settings_read_again_and_again() {
    let found = only(&RULE, &opened(12));
    assert_eq!(
        found.summary,
        "11 openings per request of files that the same request had opened before: /srv/app/config.ini 12 times"
    );
    assert_eq!((found.items[0].name.as_str(), found.items[0].per_request), ("/srv/app/config.ini (opened)", 12.0));
    // 11 × 1 µs × 2.0 of 20 ms.
    assert!((part(&found).value - 11.0 * 2.0 / 20e3).abs() < 1e-9, "{found:?}");
    assert!(found.fix.advice.contains("static variable"), "{found:?}");
}

/// Settings that were parsed 25 times: 0.33 ms were promised at most, of the openings alone, and 0.69 ± 0.32 proved.
#[test]
fn what_is_made_of_a_files_content_was_in_no_bound() {
    assert!(matches!(only(&RULE, &opened(12)).saves, Saves::NotKnown(_)));
    let mut checked = lean();
    checked.files = vec![file(PERL, FileCall::Stat, "/etc/localtime", FileOutcome::Found, 31)];
    assert!(matches!(only(&RULE, &checked).saves, Saves::AtMost { .. }));
}

#[test]
fn twice_is_not_over_and_over() {
    assert_eq!(RULE.check(&opened(3)).len(), 1);
    silent(&RULE, &opened(2));
    silent(&RULE, &opened(0));
    silent(&RULE, &lean());
}

#[test]
fn thirty_checks_too_many() {
    let checked = |times| {
        let mut evidence = lean();
        evidence.files = vec![file(PERL, FileCall::Stat, "/etc/localtime", FileOutcome::Found, times)];
        evidence
    };
    let found = only(&RULE, &checked(31));
    assert_eq!(
        found.summary,
        "30 checks per request of files that the same request had checked before: /etc/localtime 31 times"
    );
    assert!(found.fix.lines.contains(&"Environment=TZ=:/etc/localtime".to_owned()), "{found:?}");
    silent(&RULE, &checked(30));
}

#[test]
fn openings_and_checks_are_one_finding() {
    let mut evidence = opened(12);
    evidence.files.push(file(PHP, FileCall::Stat, "/srv/app/lang", FileOutcome::Found, 101));
    let found = only(&RULE, &evidence);
    assert_eq!(
        found.summary,
        "111 openings and checks per request of files that the same request had opened or checked before: /srv/app/lang 101 times"
    );
    assert_eq!(found.figures.iter().map(|figure| figure.value.value).collect::<Vec<_>>(), [11.0, 100.0]);
}

#[test]
fn once_in_each_of_many_requests_is_not_again() {
    let mut evidence = opened(1);
    evidence.files[0].counted.count = about(1, 0);
    silent(&RULE, &evidence);
}

/// All below /dev was taken for devices.
#[test]
fn a_file_in_shared_memory_is_one() {
    let mut evidence = opened(40);
    evidence.files[0].path = "/dev/shm/app/cache.json".into();
    assert!(only(&RULE, &evidence).summary.contains("/dev/shm/app/cache.json"));
}

#[test]
fn what_other_rules_tell_of_and_what_is_no_file() {
    for path in ["/dev/urandom", "/proc/self/stat", "/usr/lib/libz.so.1", "/etc/ld.so.cache"] {
        let mut evidence = opened(40);
        evidence.files[0].path = path.into();
        silent(&RULE, &evidence);
    }
    let mut evidence = opened(40);
    evidence.files[0].path = "/srv/app/wiki.sqlite-journal".into();
    evidence.locks = vec![LockSeen {
        group: PHP,
        kind: LockKind::Call(LockCall::Fcntl),
        path: "/srv/app/wiki.sqlite".into(),
        counted: counted(4, 1_000),
    }];
    silent(&RULE, &evidence);
}

/// libpq looks up its user each time it connects: `database-reconnect` tells of that.
#[test]
fn files_that_connecting_reads_were_told_beside_the_connections() {
    let mut evidence = lean();
    evidence.files = vec![file(PHP, FileCall::Open, "/etc/passwd", FileOutcome::Found, 6)];
    only(&RULE, &evidence);
    evidence.connections = vec![ConnectionSeen { group: PHP, opened: counted(6, 1_000), ..ConnectionSeen::default() }];
    silent(&RULE, &evidence);
    evidence.files[0].counted = counted(25, 1_000);
    only(&RULE, &evidence);
}

/// Each new TLS connection reads the authority's certificate: `unpooled-tls` tells of that.
#[test]
fn the_certificate_that_each_handshake_reads_was_told_beside_the_handshakes() {
    let mut evidence = lean();
    evidence.files = vec![file(PHP, FileCall::Open, "/srv/app/ca.pem", FileOutcome::Found, 3)];
    only(&RULE, &evidence);
    let tls = |handshakes| ConnectionSeen {
        group: PHP,
        opened: counted(3, 1_000),
        handshakes: counted(handshakes, 1_000),
        ..ConnectionSeen::default()
    };
    evidence.connections = vec![tls(0)];
    only(&RULE, &evidence);
    evidence.connections = vec![tls(3)];
    silent(&RULE, &evidence);
}

/// The advice is about one file: what others are checked for again was told as saved.
#[test]
fn a_fix_for_one_file_saved_what_others_take() {
    let mut evidence = lean();
    let checked = |path: &str, times| file(PERL, FileCall::Stat, path, FileOutcome::Found, times);
    evidence.files = vec![checked("/srv/a.conf", 76), checked("/srv/b.conf", 26)];
    let (what, calls, of, part) = partly(&only(&RULE, &evidence));
    assert_eq!((what, calls, of), ("checks", 75.0, 100.0));
    assert!(is_about(part, 0.75), "{part}");
    evidence.files.pop();
    assert_eq!(only(&RULE, &evidence).removes, None);
}
