use unladen_trace::{FileCall, FileOutcome};

use super::*;
use crate::rules::tests::testing::*;

fn log(group: usize, sink: LogSink, path: &str, lines: u64, example: &str) -> LogSeen {
    LogSeen {
        group,
        sink,
        path: path.into(),
        counted: counted(lines, 10_000),
        examples: vec![example.into()],
        ..LogSeen::default()
    }
}

fn with_logs(logs: Vec<LogSeen>) -> Evidence {
    Evidence { logs, ..lean() }
}

#[test]
fn sympa_tells_syslog_of_each_step() {
    let found = only(
        &RULE,
        &with_logs(vec![log(
            PERL,
            LogSink::Syslog,
            "/dev/log",
            26,
            "<30>Nov 21 16:00:00 wwsympa[12]: info main::do_lists()",
        )]),
    );
    assert_eq!(found.summary, "26 log lines per request");
    assert_eq!(found.items[0].name, "/dev/log: \"Nov 21 16:00:00 wwsympa[12]: info main::do_lists()\"");
    // 26 × 10 µs of 20 ms.
    assert!((part(&found).value - 0.013).abs() < 1e-9, "{found:?}");
    assert_eq!(found.fix.lines, ["log_level 0"]);
}

/// A logger that opens its file for each line: 0.57 ms were promised at most, and 0.88 ± 0.31 proved.
#[test]
fn openings_of_a_log_for_each_line_were_not_counted() {
    let mut evidence = with_logs(vec![log(PHP, LogSink::File, "/srv/app/app.log", 40, "step 1")]);
    let before = part(&only(&RULE, &evidence)).value;
    evidence.files.push(file(PHP, FileCall::OpenWrite, "/srv/app/app.log", FileOutcome::Found, 40));
    // 40 calls of 1 µs, of 20 ms.
    let more = part(&only(&RULE, &evidence)).value - before;
    assert!((more - 0.002).abs() < 1e-9, "{more}");
    // Opened once, it is no part of each line.
    evidence.files[0] = file(PHP, FileCall::OpenWrite, "/srv/app/app.log", FileOutcome::Found, 1);
    assert_eq!(part(&only(&RULE, &evidence)).value, before);
}

#[test]
fn a_line_for_each_request_is_usual() {
    let access = |lines| with_logs(vec![log(NGINX, LogSink::File, "/var/log/nginx/access.log", lines, "GET /")]);
    silent(&RULE, &access(1));
    silent(&RULE, &access(4));
    assert_eq!(only(&RULE, &access(5)).summary, "5 log lines per request");
    silent(&RULE, &lean());
}

#[test]
fn php_complains_of_the_code() {
    let say = |text| with_logs(vec![log(PHP, LogSink::Stderr, "", 8, text)]);
    let found = only(&RULE, &say("PHP Deprecated:  Optional parameter before required in /srv/app/a.php"));
    assert_eq!(found.fix.lines, ["error_reporting = E_ALL & ~E_DEPRECATED & ~E_NOTICE"]);
    assert!(found.items[0].name.starts_with("standard error: \"PHP Deprecated"), "{found:?}");
    assert!(only(&RULE, &say("step 1")).fix.lines.is_empty());
    let warning = only(&RULE, &say("PHP Warning:  Undefined variable $a"));
    assert!(warning.fix.lines.is_empty() && warning.fix.advice.contains("fix what"), "{warning:?}");
    let by_nginx = "FastCGI sent in stderr: \"PHP message: PHP Notice:  Undefined index\"";
    let found = only(&RULE, &with_logs(vec![log(NGINX, LogSink::File, "/var/log/nginx/error.log", 9, by_nginx)]));
    assert_eq!(found.fix.file.as_deref(), Some("/etc/php/8.2/fpm/conf.d/zz-unladen.ini"));
}

#[test]
fn what_a_daemon_writes_for_others_is_theirs() {
    let mut evidence = with_logs(vec![
        log(PERL, LogSink::Syslog, "/dev/log", 26, "one"),
        log(NGINX, LogSink::File, "/var/log/syslog", 26, "one"),
    ]);
    evidence.groups[NGINX].exe = Some("/usr/sbin/rsyslogd".into());
    assert_eq!(only(&RULE, &evidence).group, "sympa wwsympa.fcgi");
    evidence.logs.remove(0);
    assert_eq!(only(&RULE, &evidence).fix.file.as_deref(), Some("/etc/rsyslog.d/10-unladen.conf"));
}

#[test]
fn examples_are_cut_between_letters() {
    assert_eq!(cut(&"é".repeat(81), MOST_CHARS), format!("{}…", "é".repeat(80)));
    assert_eq!(without_priority("<a>b"), "<a>b");
    assert_eq!(without_priority("<13>b"), "b");
}

/// PHP's notices are switched off; the application's own log stays.
#[test]
fn a_setting_of_php_saved_the_lines_of_the_application() {
    let notices = log(PHP, LogSink::Stderr, "stderr", 30, "PHP Notice:  Undefined index");
    let own = log(PHP, LogSink::File, "/srv/app/app.log", 10, "step 1");
    let (what, calls, of, part) = partly(&only(&RULE, &with_logs(vec![notices, own])));
    assert_eq!((what, calls, of), ("lines", 30.0, 40.0));
    assert!(is_about(part, 0.75 * AROUND), "{part}");
}
