//! A page that is only read, but whose generation writes.

use std::collections::{BTreeMap, BTreeSet};

use unladen_trace::{
    Counted, Evidence, EvidenceSource, FileCall, FileOutcome, FileSeen, Interval, LockKind, LogSink, QueryProtocol,
    QuerySeen, Series, State, is_kernels,
};

use crate::finding::{Figure, Finding, Item, Removes, Rule, Saves, Share, at_least};
use crate::fix::Fix;
use crate::php;
use crate::rules::files::{lock_files, without_suffix};
use crate::rules::sessions::{self, SESSION};
use crate::stack::{Stack, applications};
use crate::words::{cut, many};

/// Writes in a smaller part of requests are occasional: a cache is filled, a counter is saved each minute.
const LEAST_WRITES: f64 = 0.5;
/// From this part of the requests on, each writes the file; below, each may write another of several.
const BY_EACH: f64 = 0.9;
/// Up to this many files in a folder are one per worker, more are new ones.
const MOST_WORKERS: usize = 32;
const MOST_CHARS: usize = 80;
/// Beginning of the name of PHP's session files.
const SESSIONS: &str = "sessions: ";
/// Upper bound relative to the calls: the kernel's threads write to the disk, and the application assembles the data.
const AROUND: f64 = 1.5;

pub(super) const RULE: Rule = Rule {
    name: "write-per-request",
    about: "a page that is only read writes to the database or to files",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/write-per-request.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let reads = matches!(evidence.page.method.as_str(), "" | "GET" | "HEAD");
    if !reads || evidence.state == State::Fresh {
        return Vec::new(); // A fresh process fills its caches.
    }
    applications(evidence).filter_map(|group| of_group(evidence, group)).collect()
}

fn of_group(evidence: &Evidence, group: usize) -> Option<Finding> {
    let queries: Vec<&QuerySeen> = evidence
        .queries
        .iter()
        .filter(|query| query.group == group && query.writes)
        .filter(|query| evidence.mean(&query.counted.count) >= LEAST_WRITES)
        .collect();
    let statements = Counted::sum(queries.iter().map(|query| &query.counted));
    let files: Vec<(String, Series)> = written(evidence, group)
        .into_iter()
        .filter(|(_, series)| at_least(evidence, series, LEAST_WRITES).is_some())
        .collect();
    let by_sql = at_least(evidence, &statements.count, LEAST_WRITES);
    let by_file = at_least(evidence, &Series::sum(files.iter().map(|(_, series)| series)), LEAST_WRITES);
    let mut told = Vec::new();
    let mut figures = Vec::new();
    if let Some(value) = by_sql {
        told.push(many(value, "writing statement", "writing statements"));
        figures.push(Figure { name: "statements", unit: "1", value });
    }
    if let Some(value) = by_file {
        told.push(many(value, "written file", "written files"));
        figures.push(Figure { name: "files", unit: "1", value });
    }
    if told.is_empty() {
        return None;
    }
    let method = if evidence.page.method.is_empty() { "GET" } else { &evidence.page.method };
    let items = files.iter().map(|(name, series)| (name.clone(), evidence.mean(series)));
    let statement = |query: &&QuerySeen| (cut(&query.fingerprint, MOST_CHARS), evidence.mean(&query.counted.count));
    let fix = fix(evidence, group, by_sql.map_or(&[], |_| queries.as_slice()), &files);
    let takes = match time(evidence, group, &statements, by_file.is_some()) {
        Some(time) => Share::of_latency(evidence, Some(time)),
        None => Share::NotKnown("the time of the writes is not known".into()),
    };
    // Settings for sessions leave all other writes to developers.
    let sessions = files.iter().filter(|(name, _)| fix.developers.is_some() && name.starts_with(SESSIONS));
    let sessions: Vec<f64> = sessions.map(|(_, series)| evidence.mean(series)).collect();
    let removes = match sessions.is_empty() {
        true => None,
        false => {
            let all = figures.iter().map(|figure| figure.value.value).sum();
            Removes::part("writes", sessions.into_iter().sum(), all)
        }
    };
    let saves = match removes {
        Some(_) if by_sql.is_some() => {
            let of_files = file_time(evidence, group).map_or(0.0, |time| time.high);
            Saves::at_most(&takes, of_files * AROUND)
        }
        _ => Saves::part_of(&takes, AROUND),
    };
    Some(Finding {
        summary: format!("{} per {method}", told.join(" and ")),
        figures,
        items: Item::largest(items.chain(queries.iter().map(statement))),
        saves,
        removes,
        ..Finding::of(&RULE, evidence, Some(group), takes, fix)
    })
}

/// Files written, by kind: sessions, and files of which each request writes another, by folder, others by path.
fn written(evidence: &Evidence, group: usize) -> BTreeMap<String, Series> {
    let ignored = told_elsewhere(evidence, group);
    let by_path = writing(evidence, group, &ignored);
    let removed: BTreeSet<&str> = calls(evidence, group)
        .filter(|file| file.call == FileCall::Unlink && file.outcome == FileOutcome::Found)
        .map(|file| file.path.as_str())
        .collect();
    let mut out: BTreeMap<String, Series> = BTreeMap::new();
    let mut some: BTreeMap<&str, Vec<(&str, Series)>> = BTreeMap::new();
    for (path, series) in by_path {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let named = if name.starts_with(SESSION) {
            format!("{SESSIONS}{folder}/{SESSION}*")
        } else if removed.contains(path) {
            format!("files in {folder} that the same request removes")
        } else if evidence.mean(&series) < BY_EACH {
            // Many files in a folder with varying names (a worker's number, a random one) count as one in each request.
            some.entry(folder).or_default().push((path, series));
            continue;
        } else {
            path.to_owned()
        };
        out.entry(named).or_default().absorb(&series);
    }
    for (folder, files) in some {
        let named = match files.as_slice() {
            [(path, _)] => (*path).to_owned(),
            files if files.len() <= MOST_WORKERS => format!("one of {} files in {folder}", files.len()),
            _ => format!("new files in {folder}"),
        };
        out.entry(named).or_default().absorb(&Series::sum(files.iter().map(|(_, series)| series)));
    }
    out
}

/// Requests in which each file was written: by bytes written, else by calls that created or changed it. Opening for
/// writing is no write: databases open all of their files that way, and so do locks.
fn writing<'a>(evidence: &'a Evidence, group: usize, ignored: &BTreeSet<&str>) -> BTreeMap<&'a str, Series> {
    let is_ignored = |path: &str| {
        let session = path.rsplit('/').next().is_some_and(|name| name.starts_with(SESSION));
        is_special(path) || is_profile(path) || (ignored.contains(without_suffix(path)) && !session)
    };
    let mut out: BTreeMap<&str, Series> = BTreeMap::new();
    let mut put = |path: &'a str, series: &Series| {
        let known = out.entry(path).or_default();
        if evidence.mean(series) > evidence.mean(known) {
            known.clone_from(series);
        }
    };
    for seen in evidence.transfers.iter().filter(|seen| seen.group == group && !is_ignored(&seen.path)) {
        put(without_suffix(&seen.path), &seen.writing_requests);
    }
    for file in calls(evidence, group).filter(|file| changes(file) && !is_ignored(&file.path)) {
        put(without_suffix(&file.path), &file.counted.requests);
    }
    out.retain(|_, series| !series.is_zero());
    out
}

fn calls(evidence: &Evidence, group: usize) -> impl Iterator<Item = &FileSeen> {
    evidence.files.iter().filter(move |file| file.group == group)
}

fn changes(file: &FileSeen) -> bool {
    file.outcome == FileOutcome::Found && matches!(file.call, FileCall::Create | FileCall::Change)
}

/// Logs, files that are only locked, and SQLite's database if its writing statements are reported.
fn told_elsewhere(evidence: &Evidence, group: usize) -> BTreeSet<&str> {
    let logs = evidence.logs.iter().filter(|seen| seen.group == group && seen.sink == LogSink::File);
    let sqlite = evidence.queries.iter().any(|query| query.group == group && query.protocol == QueryProtocol::Sqlite);
    let written = written_files(evidence, group);
    // A file that is locked and written counts as written, unless it is the database.
    let locks = evidence
        .locks
        .iter()
        .filter(|seen| seen.group == group)
        .filter(|seen| seen.kind == LockKind::File || sqlite || !written.contains(seen.path.as_str()));
    let told = logs.map(|seen| seen.path.as_str()).chain(locks.map(|seen| seen.path.as_str()));
    told.chain(lock_files(evidence, group)).collect()
}

/// Files that bytes went into. A set, as a first request may take a hundred thousand locks.
fn written_files(evidence: &Evidence, group: usize) -> BTreeSet<&str> {
    let of_group = evidence.transfers.iter().filter(|seen| seen.group == group && !seen.writing_requests.is_zero());
    of_group.map(|seen| without_suffix(&seen.path)).collect()
}

/// `debug-left-on` reports what Xdebug writes.
fn is_profile(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with("cachegrind.out.") || name.ends_with(".xt") || name.ends_with(".xt.gz")
}

fn is_special(path: &str) -> bool {
    path.is_empty() || is_kernels(path)
}

/// Time of the statements, and of all calls on written files: opening, locking, truncating, writing, renaming, removing
/// and syncing. SQLite's own file calls are a part of its statements' time.
fn time(evidence: &Evidence, group: usize, statements: &Counted, files: bool) -> Option<Interval> {
    let mut all = vec![evidence.wait_of(statements)];
    if files && statements.count.is_zero() {
        all.push(file_time(evidence, group));
    } else if files {
        let calls = Counted::sum(of_written(evidence, group));
        all.push(evidence.time_of(&calls.count, &calls.time_ns));
    }
    let all = all.into_iter().flatten();
    let time = all.reduce(|a, b| Interval { value: a.value + b.value, low: a.low + b.low, high: a.high + b.high });
    time.filter(|time| time.value > 0.0)
}

fn of_written(evidence: &Evidence, group: usize) -> impl Iterator<Item = &Counted> {
    let written = written_files(evidence, group);
    let is_written = move |path: &str| written.contains(without_suffix(path));
    let is_of = {
        let is_written = is_written.clone();
        move |file: &&FileSeen| {
            let opens = matches!(file.call, FileCall::OpenWrite | FileCall::Unlink | FileCall::Rename);
            changes(file) || (opens && is_written(&file.path))
        }
    };
    let locks = evidence.locks.iter().filter(move |seen| seen.group == group && seen.kind != LockKind::File);
    let locks = locks.filter(move |seen| is_written(&seen.path)).map(|seen| &seen.counted);
    calls(evidence, group).filter(is_of).map(|file| &file.counted).chain(locks)
}

/// Time of file calls: those that name files, and those on descriptors, which are timed by their name alone.
fn file_time(evidence: &Evidence, group: usize) -> Option<Interval> {
    const FILES: &[&str] = &[
        "fsync",
        "fdatasync",
        "msync",
        "sync_file_range",
        "ftruncate",
        "fallocate",
        "pwrite64",
        "pwritev",
        "pwritev2",
        "copy_file_range",
        "fchmod",
        "fchown",
    ];
    /// Calls on sockets and pipes too: the part on files counts.
    const ANY: &[&str] = &["write", "writev"];
    let mut calls = Counted::sum(of_written(evidence, group));
    let own = evidence.syscalls.iter().filter(|seen| seen.group == group);
    for seen in own.clone().filter(|seen| FILES.contains(&seen.name.as_str())) {
        calls.count.absorb(&seen.count);
        calls.time_ns.absorb(&seen.time_ns);
    }
    let certain = evidence.time_of(&calls.count, &calls.time_ns)?;
    let any: Vec<_> = own.clone().filter(|seen| ANY.contains(&seen.name.as_str())).collect();
    let count = Series::sum(any.iter().map(|seen| &seen.count));
    let written = evidence.transfers.iter().filter(|seen| seen.group == group && !is_special(&seen.path));
    let positioned = own.filter(|seen| seen.name.starts_with("pwrite")).map(|seen| &seen.count);
    let written = Series::sum(written.map(|seen| &seen.writes)).less(&Series::sum(positioned));
    let part = if evidence.mean(&count) > 0.0 { evidence.mean(&written) / evidence.mean(&count) } else { 0.0 };
    let writes = evidence.time_of(&count, &Series::sum(any.iter().map(|seen| &seen.time_ns)));
    let writes = writes.map_or_else(Interval::default, |time| time.scaled(part.clamp(0.0, 1.0)));
    Some(Interval {
        value: certain.value + writes.value,
        low: certain.low + writes.low,
        high: certain.high + writes.high,
    })
}

/// Whether a statement writes into a table of sessions: `sessions` of Request Tracker and Rails, `django_session`.
fn is_of_sessions(query: &QuerySeen) -> bool {
    const VERBS: [&str; 8] = ["INSERT", "REPLACE", "UPDATE", "DELETE", "INTO", "FROM", "IGNORE", "ONLY"];
    let mut words = query.fingerprint.split(|letter: char| letter.is_whitespace() || letter == '(');
    let table = words.find(|word| !word.is_empty() && !VERBS.iter().any(|verb| word.eq_ignore_ascii_case(verb)));
    table.is_some_and(|table| table.to_ascii_lowercase().contains("session"))
}

fn fix(evidence: &Evidence, group: usize, queries: &[&QuerySeen], files: &[(String, Series)]) -> Fix {
    let begins = |text: &str| files.iter().any(|(name, _)| name.starts_with(text));
    let mut advice = Vec::new();
    if queries.iter().any(|query| is_of_sessions(query)) {
        advice.push(
            "begin a session only when there is something to keep, and write it only when that has changed, or when \
             its time is older than some minutes",
        );
    }
    if !queries.iter().all(|query| is_of_sessions(query)) {
        advice.push(
            "count visits outside the request: collect them in memory (APCu, Redis) and write them each minute, or \
             only if the value is older than some minutes",
        );
    }
    if begins(SESSIONS) {
        advice.push(
            "begin a session only when there is something to keep; where it is only read, session_start(['read_and_close' => true])",
        );
    }
    if files.iter().any(|(name, _)| name.ends_with("that the same request removes")) {
        advice.push("use memory (php://memory, io.BytesIO) or a pipe for temporary data");
    }
    // Other files are named by path, which is incomplete if the folder is not known.
    let is_other = |name: &str| !name.starts_with(SESSIONS) && !name.ends_with("that the same request removes");
    if files.iter().any(|(name, _)| is_other(name)) {
        advice.push("write a file only if its content changes, and a cache only if it lacks the entry");
    }
    let advice = advice.join("; ");
    let is_php = Stack::of(evidence, group) == Stack::Php;
    if is_php
        && begins(SESSIONS)
        && evidence.php_of(group).and_then(|php| php.is_on("session.lazy_write")) == Some(false)
    {
        let fix =
            php::fix(evidence, group, "let PHP write a session only when it has changed", &["session.lazy_write=1"]);
        let fix = php::switched(evidence, group, fix, "sessions written when they change");
        return fix.for_developers(evidence, group, &advice);
    }
    if is_php
        && begins(SESSIONS)
        && let Some(fix) = sessions::in_memory(evidence, group)
    {
        return fix.for_developers(evidence, group, &advice);
    }
    Fix::code(evidence, group, &advice)
}

#[cfg(test)]
mod tests;
