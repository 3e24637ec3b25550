//! Shared by the rules on files: PHP's source files and when PHP checks them for changes, lock files, and what checks
//! take of the latency.

use std::collections::BTreeSet;

use unladen_trace::{
    Counted, Evidence, FileCall, FileOutcome, FileSeen, Interval, Language, LockKind, PhpSettings, State,
};

use crate::finding::widened;
use crate::php;
use crate::stack::Stack;

/// What happens in a smaller part of requests is occasional: a file was changed, or a worker has begun.
pub(super) const MOST_REQUESTS: f64 = 0.5;
/// Files that an opcode cache does not hold, for each that it checks.
const MOST_COMPILED: f64 = 0.1;
/// PHP's default for `opcache.revalidate_freq`, in seconds.
const DEFAULT_SECONDS: u64 = 2;

/// Checks of source files by PHP itself: found, and not opened. In each request that has some, one is PHP's.
pub(super) fn revalidated(evidence: &Evidence, group: usize) -> Vec<&FileSeen> {
    if Stack::of(evidence, group) != Stack::Php || evidence.state == State::Fresh || !asks(evidence, group) {
        return Vec::new();
    }
    let in_most = |file: &FileSeen| evidence.mean(&file.counted.requests) >= MOST_REQUESTS;
    let own = || evidence.files.iter().filter(move |file| file.group == group && file.outcome == FileOutcome::Found);
    let opened: BTreeSet<&str> =
        own().filter(|file| file.call == FileCall::Open && in_most(file)).map(|file| file.path.as_str()).collect();
    let checked: Vec<&FileSeen> = own()
        .filter(|file| file.call == FileCall::Stat && is_source(&file.path) && in_most(file))
        .filter(|file| !opened.contains(file.path.as_str()))
        .collect();
    // Where each request compiles, no opcode cache has the files: the application looks at them itself.
    let compiles = evidence.compiles.iter().filter(|seen| seen.group == group && seen.language == Language::Php);
    let compiled = compiles.filter(|seen| evidence.mean(&seen.counted.requests) >= MOST_REQUESTS).count();
    if compiled as f64 > MOST_COMPILED * checked.len() as f64 { Vec::new() } else { checked }
}

/// Whether PHP checks in most requests, by its settings and the time between requests; `true` if these are not known.
fn asks(evidence: &Evidence, group: usize) -> bool {
    let Some(php) = evidence.php_of(group) else { return true };
    if php::has_opcache(evidence, group) == Some(false) || php.is_on("opcache.validate_timestamps") == Some(false) {
        return false;
    }
    // PHP checks again after so many seconds, whichever worker checked last.
    let seconds = php::number(Some(php), "opcache.revalidate_freq").unwrap_or(DEFAULT_SECONDS);
    seconds == 0 || between_requests(evidence) / (seconds as f64) >= MOST_REQUESTS
}

/// Whether PHP checks in some requests alone, for all that they load at once: every other second, for example.
pub(super) fn asks_now_and_then(evidence: &Evidence, group: usize) -> bool {
    let validates = |php: &PhpSettings| php.is_on("opcache.validate_timestamps") != Some(false);
    Stack::of(evidence, group) == Stack::Php
        && evidence.php_of(group).is_some_and(validates)
        && php::has_opcache(evidence, group) == Some(true)
        && !asks(evidence, group)
}

/// Sources in PHP's opcode cache, as far as it checked them for changes: it does so only for what it includes. `None`
/// if it checked none, so that nothing can be told.
pub(super) fn held(evidence: &Evidence, group: usize) -> Option<BTreeSet<&str>> {
    if !asks_now_and_then(evidence, group) {
        return None;
    }
    let own = evidence.files.iter().filter(|file| file.group == group && file.outcome == FileOutcome::Found);
    let sources = own.filter(|file| file.call == FileCall::Stat && is_source(&file.path));
    let held: BTreeSet<&str> =
        sources.filter(|file| is_renewed(evidence, file)).map(|file| file.path.as_str()).collect();
    (!held.is_empty()).then_some(held)
}

/// Whether some requests check a file once more than others, or alone.
fn is_renewed(evidence: &Evidence, file: &FileSeen) -> bool {
    let (count, requests) = (file.counted.count.total(), file.counted.requests.total());
    evidence.mean(&file.counted.requests) < MOST_REQUESTS || (requests > 0 && !count.is_multiple_of(requests))
}

fn between_requests(evidence: &Evidence) -> f64 {
    let on = evidence.phases.all().iter().filter(|phase| phase.on);
    let ns: f64 = on.map(|phase| phase.duration_ns as f64).sum();
    ns / 1e9 / (evidence.phases.requests().max(1) as f64)
}

pub(super) fn is_source(path: &str) -> bool {
    [".php", ".inc", ".phtml", ".module", ".theme", ".install"].iter().any(|end| path.ends_with(end))
}

/// Latency of a check relative to the kernel's part of it, which alone is seen: between the two below. At MediaWiki
/// 1.39 a class map took away 690 of 850 `newfstatat` a request; on a quiet machine it took 1.74 ms off, 2.7 times the
/// kernel's part, and beside other work 1.56 ms (1.0 to 2.1), 1.7 times (1.1 to 2.3).
const KERNEL_VALUE: f64 = 2.0;
/// Lower end, where nothing is done but checking: a loop over `file_exists` in PHP 8.2 takes 1.1 to 1.5 times the
/// kernel's part, over `-e` in Perl 5.36 1.15 times.
const KERNEL_LOW: f64 = 1.1;
/// Upper end: a fifth more than at MediaWiki on a quiet machine, whose autoloader builds a path for each check.
const KERNEL_HIGH: f64 = 3.2;

/// Latency of checks from the kernel's part of it: the application's own work around them is not seen here.
pub(super) fn latency_of_checks(kernel: Interval) -> Interval {
    widened(kernel, KERNEL_LOW, KERNEL_VALUE, KERNEL_HIGH)
}

/// Lock files of a group, and the files that are linked to create them.
pub(super) fn lock_files(evidence: &Evidence, group: usize) -> BTreeSet<&str> {
    let locks = evidence.locks.iter().filter(|seen| seen.group == group && seen.kind == LockKind::File);
    let mut paths: BTreeSet<&str> = locks.map(|seen| seen.path.as_str()).collect();
    if !paths.is_empty() {
        let links = evidence.files.iter().filter(|file| file.group == group && file.call == FileCall::Link);
        paths.extend(links.map(|file| file.path.as_str()));
    }
    paths
}

/// A database of SQLite's, for one of its journals: it looks for these whenever it locks the database, and with a
/// write-ahead log, most is written there.
pub(super) fn without_suffix(path: &str) -> &str {
    ["-journal", "-wal", "-shm"].iter().find_map(|suffix| path.strip_suffix(suffix)).unwrap_or(path)
}

/// Whether a file is opened again for (nearly) each of so many calls (a request): a fix that saves the calls saves these
/// openings too.
pub(super) fn is_opened_for_each(evidence: &Evidence, group: usize, path: &str, calls: f64) -> bool {
    let opens = evidence.files.iter().filter(|file| file.group == group && file.call.opens() && file.path == path);
    opens.map(|file| evidence.mean(&file.counted.count)).sum::<f64>() >= calls / 2.0
}

/// All calls that name one of these files.
pub(super) fn calls_on(evidence: &Evidence, group: usize, paths: &BTreeSet<&str>) -> Counted {
    let files = evidence.files.iter().filter(|file| file.group == group && paths.contains(file.path.as_str()));
    Counted::sum(files.map(|file| &file.counted))
}
