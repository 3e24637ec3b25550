use unladen_trace::{CompileSeen, FileCall, FileOutcome, FileSeen, Language};

use super::*;
use crate::rules::tests::testing::*;

fn sources(files: usize) -> Evidence {
    let mut evidence = lean();
    evidence.php =
        vec![php(&[("opcache.enable", "1"), ("opcache.validate_timestamps", "1"), ("opcache.revalidate_freq", "0")])];
    evidence.files = (0..files)
        .map(|index| file(PHP, FileCall::Stat, &format!("/srv/app/src/C{index}.php"), FileOutcome::Found, 1))
        .collect();
    evidence
}

#[test]
fn every_source_in_every_request() {
    let found = only(&RULE, &sources(500));
    assert_eq!(
        found.summary,
        "500 source files per request that PHP checks for changes, though its opcode cache has them"
    );
    // 500 × 1 µs × 1.6 of 20 ms, ± 1 % of the latency.
    assert!((part(&found).value - 0.04).abs() < 1e-9, "{found:?}");
    assert_eq!(found.items.len(), 1);
    assert_eq!(found.items[0].name, "/srv/app/src");
    assert_eq!(found.fix.file.as_deref(), Some("/etc/php/8.2/fpm/conf.d/zz-unladen.ini"));
    assert_eq!(found.fix.lines, ["opcache.revalidate_freq=60"]);
    assert_eq!(found.fix.commands, ["systemctl reload php8.2-fpm"]);
    assert_eq!(
        found.check_again,
        "unladen prove try.toml, where try.toml is:\nurl = \"http://127.0.0.1/page\"\n\n[load]\nconcurrency = 1\nrequests = 400\n\n\
         [[service]]\nname = \"php\"\nrestart = \"systemctl reload php8.2-fpm\"\n\
         ready = { url = \"http://127.0.0.1/page\", status = \"100-501,505-599\" }\n\n[[knob]]\nname = \"no revalidation\"\n\
         on = { file = \"/etc/php/8.2/fpm/conf.d/zz-unladen.ini\", text = \"opcache.revalidate_freq=60\\n\" }\nrestart = \"php\""
    );
}

/// Without an opcode cache, an application's own checks were said to be the cache's.
#[test]
fn what_is_compiled_in_each_request_is_in_no_opcode_cache() {
    let mut evidence = sources(122);
    evidence.php = Vec::new();
    let compiled = |index: usize| CompileSeen {
        group: PHP,
        language: Language::Php,
        path: format!("/srv/app/lib/{index}.php"),
        counted: counted(1, 300_000),
    };
    evidence.compiles = (0..78).map(compiled).collect();
    assert!(RULE.check(&evidence).is_empty());
    // A few that it does not hold are no reason.
    evidence.compiles.truncate(3);
    assert_eq!(RULE.check(&evidence).len(), 1);
}

#[test]
fn fewer_than_fifty_are_nothing() {
    assert_eq!(RULE.check(&sources(50)).len(), 1);
    silent(&RULE, &sources(49));
    silent(&RULE, &lean());
}

#[test]
fn settings_that_do_not_ask() {
    for (name, value) in
        [("opcache.validate_timestamps", "0"), ("opcache.enable", "0"), ("opcache.revalidate_freq", "2")]
    {
        let mut evidence = sources(500);
        evidence.php[0].settings.insert(name.into(), value.into());
        silent(&RULE, &evidence);
    }
}

#[test]
fn a_quiet_site_asks_each_time_at_the_usual_setting() {
    let mut evidence = sources(500);
    evidence.php[0].settings.insert("opcache.revalidate_freq".into(), "2".into());
    // 50 requests in 100 s: 2 s apart.
    let mut slow = unladen_trace::Phases::default();
    for phase in evidence.phases.all() {
        slow.push(unladen_trace::PhaseSeen { duration_ns: 100_000_000_000, ..*phase });
    }
    evidence.phases = slow;
    let found = only(&RULE, &evidence);
    assert_eq!(found.fix.lines, ["opcache.validate_timestamps=0"]);
}

#[test]
fn without_settings_what_looks_like_it_is_taken_for_it() {
    let mut evidence = sources(500);
    evidence.php.clear();
    let found = only(&RULE, &evidence);
    assert_eq!(found.fix.file.as_deref(), Some("/etc/php/8.2/fpm/conf.d/zz-unladen.ini"), "by the executable's name");
}

#[test]
fn files_that_are_opened_too_are_compiled_and_other_languages_have_no_opcache() {
    let mut evidence = sources(500);
    let opened: Vec<_> = evidence.files.iter().cloned().map(|file| FileSeen { call: FileCall::Open, ..file }).collect();
    evidence.files.extend(opened);
    silent(&RULE, &evidence);

    let mut evidence = sources(500);
    evidence.php.clear();
    evidence.files.iter_mut().for_each(|file| file.group = PERL);
    silent(&RULE, &evidence);

    let mut evidence = sources(500);
    evidence.files.iter_mut().for_each(|file| file.outcome = FileOutcome::Missing);
    silent(&RULE, &evidence);
}
