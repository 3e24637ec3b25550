use unladen_trace::{CompileSeen, Evidence, EvidenceSource, Language};

use crate::look::{look, unlooked};
use crate::rules::tests::testing;
use crate::unswitched::unswitched;

/// A PHP without its opcode cache.
fn compiling() -> Evidence {
    let compile = |file: u32| CompileSeen {
        group: testing::PHP,
        language: Language::Php,
        path: format!("/srv/app/{file}.php"),
        counted: testing::counted(1, 100_000),
    };
    let (compiles, php) = ((0..40).map(compile).collect(), vec![testing::php(&[("opcache.enable", "0")])]);
    Evidence { compiles, php, ..testing::lean() }
}

#[test]
fn a_fix_of_another_host_names_it_everywhere() {
    let here = look(&compiling()).remove(0);
    assert!(here.fix.knob.is_some() && here.check_again.contains("unladen prove"), "{here:?}");
    let there = look(&Evidence { host: Some("web-1".into()), ..compiling() }).remove(0);
    assert_eq!((there.rule, there.group.as_str()), ("recompile", "web-1/www-data php-fpm8.2"));
    assert_eq!((there.fix.host.as_deref(), &there.fix.knob), (Some("web-1"), &None));
    assert_eq!(there.fix.advice, format!("on web-1: {}", here.fix.advice));
    assert_eq!(there.fix.file.as_deref(), Some("/etc/php/8.2/fpm/conf.d/zz-unladen.ini, on web-1"));
    assert_eq!((&there.fix.lines, &there.fix.commands), (&here.fix.lines, &here.fix.commands));
    let again = "unladen weigh --host web-1=\"${HOST_WEB_1:?}\" http://127.0.0.1/page";
    assert_eq!(there.check_again, again);
    let why = unswitched(&there.fix);
    assert!(why.starts_with("it is on the host web-1"), "no experiment switches it: {why}");
}

#[test]
fn what_only_the_sender_sees_is_not_missed_there() {
    let mut evidence = compiling();
    evidence.sources.retain(|source| *source != EvidenceSource::Response);
    assert!(unlooked(&evidence).any(|lacking| lacking.source == EvidenceSource::Response));
    evidence.host = Some("db".into());
    assert!(unlooked(&evidence).all(|lacking| lacking.source != EvidenceSource::Response));
}

/// That a first request is slow is seen by whoever sent it, and was told once for each host.
#[test]
fn a_slow_first_request_is_told_once() {
    let mut evidence = testing::lean();
    evidence.page.first_ns = Some(2_000_000_000);
    assert!(look(&evidence).iter().any(|finding| finding.rule == "cold-start"));
    evidence.host = Some("db".into());
    assert!(look(&evidence).iter().all(|finding| finding.rule != "cold-start"));
}
