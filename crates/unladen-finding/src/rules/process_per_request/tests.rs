use unladen_trace::PhpSettings;

use super::*;
use crate::rules::tests::testing::*;

fn started(group: usize, programs: &[(&str, Series)]) -> Evidence {
    let mut evidence = lean();
    evidence.processes = programs
        .iter()
        .map(|(program, started)| ProcessSeen {
            group,
            program: (*program).into(),
            started: started.clone(),
            cpu_ns: started.times(1_500_000),
        })
        .collect();
    evidence
}

#[test]
fn a_shell_and_what_it_starts() {
    let found = only(&RULE, &started(PHP, &[("/bin/sh", each(1)), ("/usr/bin/convert", each(1))]));
    assert_eq!(found.summary, "2 processes started per request: /bin/sh, /usr/bin/convert");
    // 2 × 1.5 ms of 15 ms.
    assert!((part(&found).value - 0.2).abs() < 1e-9, "{found:?}");
    assert!(found.fix.advice.contains("imagick"), "{found:?}");
}

#[test]
fn every_second_request_is_enough() {
    assert_eq!(
        only(&RULE, &started(PYTHON, &[("/usr/bin/git", once_in(2))])).summary,
        "0.50 processes started per request: /usr/bin/git"
    );
    silent(&RULE, &started(PYTHON, &[("/usr/bin/git", once_in(3))]));
    silent(&RULE, &started(PYTHON, &[("/usr/bin/git", once(3))]));
    silent(&RULE, &lean());
}

#[test]
fn cgi_and_workers_that_are_replaced() {
    let cgi = only(&RULE, &started(NGINX, &[("/usr/lib/cgi-bin/app.cgi", each(1))]));
    assert!(cgi.fix.advice.contains("FastCGI"), "{cgi:?}");
    let workers = only(&RULE, &started(PHP, &[("", each(1))]));
    assert_eq!(workers.summary, "1 process started per request: a child process that runs no other program");
    assert_eq!(workers.fix.file.as_deref(), Some("/etc/php/8.2/fpm/pool.d/www.conf"));
    assert_eq!(workers.fix.lines, ["pm = static", "pm.max_requests = 0"]);
    assert_eq!(workers.fix.commands, ["systemctl reload php8.2-fpm"]);
}

/// The master's file was named, where such lines are those of the pool that was included last.
#[test]
fn a_pool_whose_file_is_not_known_is_given_no_file() {
    let mut evidence = started(PHP, &[("", each(1))]);
    evidence.php = vec![PhpSettings { fpm_config: String::new(), ..php(&[]) }];
    let fix = only(&RULE, &evidence).fix;
    assert_eq!((fix.file.as_deref(), fix.lines.len()), (None, 0));
    assert!(fix.advice.ends_with("in the section of the pool that answers"), "{}", fix.advice);
    evidence.php[0].pool_unknown = Some("the settings of its 2 pools are left out: ask a worker of one pool".into());
    let fix = only(&RULE, &evidence).fix;
    assert!(
        fix.advice.ends_with("the settings of its 2 pools are left out: ask a worker of one pool"),
        "{}",
        fix.advice
    );

    // Root's master forks; who answers is another user's, and knows its pool.
    evidence.groups[NGINX].exe = evidence.groups[PHP].exe.clone();
    evidence.php.push(PhpSettings { group: NGINX, fpm_config: "/etc/php/8.2/fpm/pool.d/shop.conf".into(), ..php(&[]) });
    let fix = only(&RULE, &evidence).fix;
    assert_eq!(fix.file.as_deref(), Some("/etc/php/8.2/fpm/pool.d/shop.conf"));
}

#[test]
fn without_cpu_the_share_is_not_known() {
    let mut evidence = started(PERL, &[("/usr/sbin/sendmail", each(1))]);
    evidence.processes[0].cpu_ns = Series::default();
    let found = only(&RULE, &evidence);
    assert!(matches!(found.takes, Share::NotKnown(_)), "{found:?}");
    assert!(found.fix.advice.contains("queue"), "{found:?}");
}

#[test]
fn a_server_that_has_just_been_started_starts_its_workers() {
    silent(&RULE, &Evidence { state: State::Fresh, ..started(PHP, &[("", each(4))]) });
}

/// AWStats below a unit of Apache, `apache2.service`: "use a library for it", it said of the page itself.
#[test]
fn a_cgi_script_in_the_unit_of_its_server_was_a_program_to_be_replaced() {
    let fix = |program: &str| only(&RULE, &started(PERL, &[(program, each(1))])).fix.advice;
    assert!(fix("/usr/lib/cgi-bin/awstats.pl").starts_with("CGI starts the program for each request"));
    assert!(fix("/usr/bin/convert").starts_with("for the developers of the application: use a library for it"));
}

/// A script that stays still starts the programs that it starts.
#[test]
fn a_script_that_stays_saved_what_it_starts() {
    let found = only(&RULE, &started(NGINX, &[("/usr/lib/cgi-bin/app.cgi", each(1)), ("/bin/sh", each(3))]));
    let (what, calls, of, part) = partly(&found);
    assert_eq!((what, calls, of), ("processes", 1.0, 4.0));
    assert!(is_about(part, 0.25 * FORK), "{part}");
    let mail = only(&RULE, &started(PERL, &[("/usr/sbin/sendmail", each(1)), ("/usr/bin/id", each(1))]));
    assert_eq!(partly(&mail).1, 1.0);
}

/// 76 ms of CPU were told of a request that takes 56: tracing slows what a process does, and its clock runs on.
#[test]
fn what_tracing_adds_was_the_processes() {
    let mut evidence = started(PHP, &[("/bin/sh", each(4))]);
    let told = |evidence: &Evidence| part(&only(&RULE, evidence)).value;
    let before = told(&evidence);
    // 15 ms without tracing.
    evidence.counters =
        vec![unladen_trace::CounterSeen { group: PHP, name: "cpu_traced_ns".into(), count: each(20_000_000) }];
    assert!((told(&evidence) / before - 0.75).abs() < 1e-6);
    evidence.counters[0].count = each(10_000_000);
    assert!((told(&evidence) - before).abs() < 1e-9, "tracing makes nothing faster");
}
