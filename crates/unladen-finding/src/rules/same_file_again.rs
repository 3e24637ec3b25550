//! The same file opened or checked repeatedly in one request.

use std::collections::BTreeSet;

use unladen_trace::{Evidence, EvidenceSource, FileCall, FileOutcome, FileSeen, Interval, LogSink, Series, is_kernels};

use crate::finding::{Figure, Finding, Item, Removes, Rule, Saves, Share, at_least};
use crate::fix::Fix;
use crate::folders::around;
use crate::php;
use crate::rules::files::{latency_of_checks, without_suffix};
use crate::server;
use crate::stack::{Stack, applications, is_contained};
use crate::words::{count, plain};

/// Times in a request from which a file counts as repeated: twice happens when a program checks a file and opens it.
const TIMES: f64 = 3.0;
/// Excess openings per request: one file opened three times is two too many.
const LEAST_OPENINGS: f64 = 2.0;
/// Excess checks per request. A check takes 2.5 µs (see `stat_storm`), so fewer take less than 0.1 ms.
const LEAST_CHECKS: f64 = 30.0;

/// Difference (a request) that the edges of phases may make between two equal counts.
const EDGES: f64 = 0.05;

pub(super) const RULE: Rule = Rule {
    name: "same-file-again",
    about: "a request opens or checks the same file over and over",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/same-file-again.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    applications(evidence).filter_map(|group| of_group(evidence, group)).collect()
}

fn of_group(evidence: &Evidence, group: usize) -> Option<Finding> {
    let opened = repeated(evidence, group, opens, LEAST_OPENINGS);
    let checked = checked_again(evidence, group);
    let seen: Vec<&FileSeen> = opened.iter().chain(&checked).copied().collect();
    let value = evidence.per_request(&again_of(&seen))?;
    let worst = Item::largest(seen.iter().map(|file| {
        let how = if opens(file) { "opened" } else { "checked" };
        (format!("{} ({how})", file.path), evidence.mean(&file.counted.count))
    }));
    let (first, worst_path) = (worst.first()?.clone(), worst_path(evidence, &seen)?);
    let (what, had) = match (opened.is_empty(), checked.is_empty()) {
        (false, true) => ("openings", "opened"),
        (true, false) => ("checks", "checked"),
        _ => ("openings and checks", "opened or checked"),
    };
    let mut figures = Vec::new();
    for (name, files) in [("openings_again", &opened), ("checks_again", &checked)] {
        if !files.is_empty() {
            figures.push(Figure { name, unit: "1", value: evidence.per_request(&again_of(files))? });
        }
    }
    let takes = Share::of_latency(evidence, time_again(evidence, &seen));
    // The advice is about one file.
    let spared: Vec<&FileSeen> = seen.iter().filter(|file| file.path == worst_path).copied().collect();
    let saves = match opened.is_empty() {
        true => Saves::at_most(&takes, time_again(evidence, &spared).map_or(0.0, |time| time.high)),
        false => Saves::unproved("what is made of a file's content, such as parsing it, is saved too, and not counted"),
    };
    Some(Finding {
        removes: Removes::part(what, evidence.mean(&again_of(&spared)), value.value),
        summary: format!(
            "{} {what} per request of files that the same request had {had} before: {worst_path} {} times",
            count(value),
            plain(first.per_request)
        ),
        figures,
        items: worst,
        saves,
        ..Finding::of(&RULE, evidence, Some(group), takes, fix(evidence, group, worst_path))
    })
}

/// Time of the repetitions: the first time is no waste.
fn time_again(evidence: &Evidence, files: &[&FileSeen]) -> Option<Interval> {
    let all = Series::sum(files.iter().map(|file| &file.counted.count));
    let time_ns = Series::sum(files.iter().map(|file| &file.counted.time_ns));
    let part = evidence.mean(&again_of(files)) / evidence.mean(&all);
    evidence.time_of(&all, &time_ns).map(|time| latency_of_checks(time.scaled(part)))
}

/// Files checked so often that this rule reports them; other rules leave out their repetitions.
pub(super) fn checked_again(evidence: &Evidence, group: usize) -> Vec<&FileSeen> {
    repeated(evidence, group, |file| matches!(file.call, FileCall::Stat | FileCall::Access), LEAST_CHECKS)
}

fn opens(file: &FileSeen) -> bool {
    file.call == FileCall::Open && file.outcome == FileOutcome::Found
}

/// Folders that PHP checks on its way to files: its path cache is too small, which `stat-storm` reports.
fn resolved(evidence: &Evidence, group: usize) -> BTreeSet<&str> {
    match Stack::of(evidence, group) {
        Stack::Php => around(evidence.files.iter().filter(|file| file.group == group).map(|file| file.path.as_str())),
        _ => BTreeSet::new(),
    }
}

/// What the C library reads to look up a user or a host, as a client does whenever it connects.
const NAME_SERVICE: &[&str] = &[
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/protocols",
];

const TLS_FOLDERS: &[&str] = &["/etc/ssl/", "/etc/pki/", "/usr/lib/ssl/", "/usr/share/ca-certificates/"];
const CERTIFICATES: &[&str] = &[".pem", ".crt", ".cer", ".key", "/openssl.cnf"];

/// Whether a file is read because a connection is opened, and no more often. Other rules report connections.
fn is_for_connections(evidence: &Evidence, file: &FileSeen) -> bool {
    let all = || evidence.connections.iter().filter(|seen| seen.group == file.group);
    let connections = if NAME_SERVICE.contains(&file.path.as_str()) {
        Series::sum(all().map(|seen| &seen.opened.count))
    } else if is_of_tls(&file.path) {
        Series::sum(all().map(|seen| &seen.handshakes.count))
    } else {
        return false;
    };
    evidence.mean(&file.counted.count) <= evidence.mean(&connections) + EDGES
}

fn is_of_tls(path: &str) -> bool {
    TLS_FOLDERS.iter().any(|folder| path.starts_with(folder)) || CERTIFICATES.iter().any(|end| path.ends_with(end))
}

fn repeated(evidence: &Evidence, group: usize, kind: impl Fn(&FileSeen) -> bool, least: f64) -> Vec<&FileSeen> {
    let (others, folders) = (told_elsewhere(evidence, group), resolved(evidence, group));
    let seen: Vec<&FileSeen> = evidence
        .files
        .iter()
        .filter(|file| file.group == group && kind(file) && !is_special(&file.path))
        .filter(|file| !others.contains(without_suffix(&file.path)) && !folders.contains(file.path.as_str()))
        .filter(|file| !is_for_connections(evidence, file))
        .filter(|file| {
            let requests = evidence.mean(&file.counted.requests);
            requests > 0.0 && evidence.mean(&file.counted.count) >= TIMES * requests
        })
        .collect();
    if at_least(evidence, &again_of(&seen), least).is_some() { seen } else { Vec::new() }
}

fn again_of(files: &[&FileSeen]) -> Series {
    let again: Vec<Series> = files.iter().map(|file| file.counted.again()).collect();
    Series::sum(&again)
}

fn worst_path<'a>(evidence: &Evidence, files: &[&'a FileSeen]) -> Option<&'a str> {
    let times = |file: &FileSeen| evidence.mean(&file.counted.count);
    let worst = files.iter().max_by(|a, b| times(a).total_cmp(&times(b)).then_with(|| b.path.cmp(&a.path)))?;
    Some(&worst.path)
}

/// Files that other rules report: locks and locked files, logs, compiled sources.
fn told_elsewhere(evidence: &Evidence, group: usize) -> BTreeSet<&str> {
    let locked = evidence.locks.iter().filter(|seen| seen.group == group).map(|seen| seen.path.as_str());
    let logs = evidence.logs.iter().filter(|seen| seen.group == group && seen.sink == LogSink::File);
    let compiled = evidence.compiles.iter().filter(|seen| seen.group == group).map(|seen| seen.path.as_str());
    locked.chain(logs.map(|seen| seen.path.as_str())).chain(compiled).collect()
}

/// Files not on a disk, and files that the dynamic loader opens.
fn is_special(path: &str) -> bool {
    is_kernels(path) || path.starts_with("/etc/ld.so.") || path.ends_with(".so") || path.contains(".so.")
}

fn fix(evidence: &Evidence, group: usize, worst: &str) -> Fix {
    if worst == "/etc/localtime" && is_contained(evidence, group) {
        return Fix::advice(
            "without TZ in its environment the C library looks at /etc/localtime for each date: start the container with TZ=:/etc/localtime",
        );
    }
    if worst == "/etc/localtime" && !server::has_systemd(evidence) {
        return Fix::advice(
            "without TZ in its environment the C library looks at /etc/localtime for each date: start the service with TZ=:/etc/localtime",
        );
    }
    if worst == "/etc/localtime" {
        return Fix::advice(
            "without TZ in its environment the C library looks at /etc/localtime for each date; set it (systemctl edit SERVICE), and restart",
        )
        .lines("a drop-in of the service", ["[Service]", "Environment=TZ=:/etc/localtime"]);
    }
    let code = |advice: String| Fix::code(evidence, group, &advice);
    match Stack::of(evidence, group) {
        Stack::Php if php::has_extension(evidence.php_of(group), "apcu") == Some(true) => code(format!(
            "read {worst} once and keep the content: in a static variable for the request, in APCu (apcu_entry) for \
             later ones"
        )),
        Stack::Php => code(format!(
            "read {worst} once and keep the content in a static variable; as a PHP file that returns an array, the \
             opcode cache holds it"
        )),
        _ => code(format!(
            "read {worst} once and keep the content; where it may change, check its modification time at most once \
             per request"
        )),
    }
}

#[cfg(test)]
mod tests;
