//! Many log lines in one request.

use unladen_trace::{Counted, Evidence, EvidenceSource, Interval, LogSeen, LogSink};

use crate::finding::{Figure, Finding, Item, Removes, Rule, Saves, Share, at_least};
use crate::fix::Fix;
use crate::rules::files::{calls_on, is_opened_for_each};
use crate::stack::{SYMPA, Stack, is_log_daemon, is_sympa, program, sympa_conf};
use crate::words::{count, cut};
use crate::{php, server};

/// Lines a request. A web server writes one for each request, an application perhaps one or two of its own.
const LEAST_LINES: f64 = 5.0;
/// Upper bound on a line's cost relative to writing it: its text is built first. As for lock files, where the
/// application's own work was measured at 2.9 to 3.6 times the kernel's.
const AROUND: f64 = 4.0;
const MOST_CHARS: usize = 80;
/// Prefixes of PHP's lines, also if nginx writes them.
const PHP_SAYS: &[&str] = &["PHP Deprecated", "PHP Notice", "PHP Warning"];
/// Those that production switches off.
const PHP_HINTS: &[&str] = &["PHP Deprecated", "PHP Notice"];

pub(super) const RULE: Rule = Rule {
    name: "log-chatter",
    about: "a request writes line after line into the log",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/log-chatter.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    (0..evidence.groups.len()).filter_map(|group| of_group(evidence, group)).collect()
}

fn of_group(evidence: &Evidence, group: usize) -> Option<Finding> {
    if is_told_by_the_sender(evidence, group) {
        return None;
    }
    let seen: Vec<&LogSeen> = evidence.logs.iter().filter(|seen| seen.group == group).collect();
    let all = Counted::sum(seen.iter().map(|seen| &seen.counted));
    let lines = at_least(evidence, &all.count, LEAST_LINES)?;
    let (fix, spares) = fix(evidence, group, &seen);
    let fix = php::switched(evidence, group, fix, "fewer log lines");
    let takes = Share::of_latency(evidence, time(evidence, group, &seen));
    // Lines of other logs stay.
    let spared: Vec<&LogSeen> =
        seen.iter().filter(|seen| spares.is_none_or(|spares| says(seen, spares))).copied().collect();
    let time = time(evidence, group, &spared).map_or(0.0, |time| time.high);
    let spared = Counted::sum(spared.iter().map(|seen| &seen.counted));
    Some(Finding {
        summary: format!("{} log lines per request", count(lines)),
        figures: vec![Figure { name: "lines", unit: "1", value: lines }],
        items: Item::largest(seen.iter().map(|seen| (named(seen), evidence.mean(&seen.counted.count)))),
        saves: Saves::at_most(&takes, time * AROUND),
        removes: Removes::part("lines", evidence.mean(&spared.count), lines.value),
        ..Finding::of(&RULE, evidence, Some(group), takes, fix)
    })
}

/// Of the lines, and of all calls on log files that are opened for each line.
fn time(evidence: &Evidence, group: usize, seen: &[&LogSeen]) -> Option<Interval> {
    let is_opened = |seen: &&&LogSeen| {
        seen.sink == LogSink::File
            && is_opened_for_each(evidence, group, &seen.path, evidence.mean(&seen.counted.count))
    };
    let opened = seen.iter().filter(is_opened).map(|seen| seen.path.as_str()).collect();
    let all = Counted::sum(seen.iter().map(|seen| &seen.counted).chain([&calls_on(evidence, group, &opened)]));
    evidence.time_of(&all.count, &all.time_ns)
}

/// A log daemon writes what another group sends: the waste and the fix are that group's.
fn is_told_by_the_sender(evidence: &Evidence, group: usize) -> bool {
    is_log_daemon(evidence, group)
        && evidence
            .logs
            .iter()
            .any(|seen| seen.group != group && seen.sink != LogSink::File && !seen.counted.count.is_zero())
}

fn named(seen: &LogSeen) -> String {
    let sink = match (seen.sink, seen.path.as_str()) {
        (LogSink::Stderr, "") => "standard error",
        (LogSink::Syslog, "") => "syslog",
        (_, path) => path,
    };
    match seen.examples.first() {
        Some(example) => format!("{sink}: \"{}\"", cut(without_priority(example.trim()), MOST_CHARS)),
        None => sink.to_owned(),
    }
}

fn says(seen: &LogSeen, texts: &[&str]) -> bool {
    seen.examples.iter().any(|example| texts.iter().any(|text| example.contains(text)))
}

/// Lines for syslog begin with `<30>`.
fn without_priority(line: &str) -> &str {
    match line.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        Some((number, rest)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => line,
    }
}

/// With what the lines say that it spares; `None` if it spares all.
fn fix(evidence: &Evidence, group: usize, seen: &[&LogSeen]) -> (Fix, Option<&'static [&'static str]>) {
    let says = |texts: &[&str]| seen.iter().any(|seen| says(seen, texts));
    if says(PHP_SAYS) && !is_log_daemon(evidence, group) {
        // Whoever writes the file, PHP's settings decide.
        let is_php = |group: &usize| Stack::of(evidence, *group) == Stack::Php;
        let php: Vec<usize> = match is_php(&group) {
            true => vec![group],
            false => (0..evidence.groups.len()).filter(is_php).collect(),
        };
        let advice = "PHP complains about the code: fix what it names";
        // With several PHPs, it is not known whose message a web server logged.
        let ([php], true) = (php.as_slice(), says(PHP_HINTS)) else { return (Fix::advice(advice), Some(PHP_SAYS)) };
        let fix = php::fix(
            evidence,
            *php,
            format!("{advice}; until then, switch deprecations and notices off in production"),
            &["error_reporting = E_ALL & ~E_DEPRECATED & ~E_NOTICE"],
        );
        return (fix, Some(PHP_HINTS));
    }
    (fix_of_all(evidence, group), None)
}

fn fix_of_all(evidence: &Evidence, group: usize) -> Fix {
    let program = program(evidence, group);
    if is_log_daemon(evidence, group) {
        return Fix::advice(
            "raise the log level of the program that sends them; dropping them here would not save the cost of sending",
        )
        .lines("/etc/rsyslog.d/10-unladen.conf", [":programname, isequal, \"PROGRAM\" stop"])
        .command(server::service(evidence, "restart", "rsyslog"));
    }
    if is_sympa(evidence, group) {
        return Fix::advice("set Sympa's log_level to 0")
            .lines(sympa_conf(evidence, group), ["log_level 0"])
            .command(server::service(evidence, "restart", SYMPA));
    }
    if program.starts_with("postgres") {
        // Works whichever settings file it reads.
        return Fix::advice("log only slow statements").command(format!(
            "{} -c \"alter system set log_statement = 'none'\" \
             -c \"alter system set log_min_duration_statement = '1s'\" -c 'select pg_reload_conf()'",
            server::psql_of(server::of(evidence, Some(group)), None)
        ));
    }
    if program.starts_with("mariadbd") || program.starts_with("mysqld") {
        let of_group = server::of(evidence, Some(group));
        return Fix::advice("log only slow statements; the command does so until the next start")
            .lines(server::mariadb_file(of_group), ["[mysqld]", "general_log = 0"])
            .command(format!("{} -e 'SET GLOBAL general_log = 0'", server::mariadb(of_group)));
    }
    match Stack::of(evidence, group) {
        Stack::Nginx => Fix::advice("error_log at the level warn, and access_log with buffer=64k flush=5s"),
        Stack::Apache => Fix::advice("LogLevel warn, and BufferedLogs On for the access log"),
        _ => Fix::advice(
            "raise the application's log level (to warning), or collect a request's lines and write them at once",
        ),
    }
}

#[cfg(test)]
mod tests;
