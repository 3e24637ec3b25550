//! Many locks taken in one request.

use std::collections::BTreeSet;

use unladen_trace::{Counted, Evidence, EvidenceSource, Interval, LockCall, LockKind, LockSeen, QueryProtocol};

use crate::finding::{Figure, Finding, Item, Removes, Rule, Saves, Share, at_least, widened};
use crate::fix::Fix;
use crate::folders::folders;
use crate::rules::files::{calls_on, is_opened_for_each, lock_files};
use crate::rules::sessions;
use crate::stack::applications;
use crate::words::{count, plain};
use crate::{again, quoting};

/// Locks a request: a session takes one, a log or a cache one or two, SQLite's transaction two or three; ten are more.
const LEAST_LOCKS: f64 = 10.0;
/// Up to this many different files are listed one by one, more by folder.
const MOST_FILES: usize = 10;

/// Latency of all calls on lock files, relative to the kernel's part. Without File::NFSLock's locks the first request
/// of a fresh Sympa 6.2 is 7 % faster with 300 lists and 5.0 ± 4.2 % with 100: 2.9 and 3.6 times the kernel's part.
const FILE_VALUE: f64 = 3.0;
/// Lower end: checking files alone in Perl, see `stat_storm`.
const FILE_LOW: f64 = 1.1;
/// Upper end: half as much again as the most likely.
const FILE_HIGH: f64 = 4.5;

/// Upper bound on the cost of locks relative to waiting for them: each is released by a call of its own.
const AROUND: f64 = 2.0;

pub(super) const RULE: Rule = Rule {
    name: "lock-churn",
    about: "a request takes lock after lock",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/lock-churn.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    applications(evidence).filter_map(|group| of_group(evidence, group)).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Sqlite,
    LockFiles,
    Calls,
}

fn of_group(evidence: &Evidence, group: usize) -> Option<Finding> {
    let seen: Vec<&LockSeen> = evidence.locks.iter().filter(|seen| seen.group == group).collect();
    let all = Counted::sum(seen.iter().map(|seen| &seen.counted));
    let locks = at_least(evidence, &all.count, LEAST_LOCKS)?;
    let wait = evidence.time_of(&all.count, &all.time_ns)?;
    let of = |wanted: Use| -> f64 {
        let which = seen.iter().filter(|seen| used_for(evidence, seen) == wanted);
        which.map(|seen| evidence.mean(&seen.counted.count)).sum()
    };
    let uses = [(Use::Sqlite, of(Use::Sqlite)), (Use::LockFiles, of(Use::LockFiles)), (Use::Calls, of(Use::Calls))];
    let (most, spared) = uses.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let told = |what: Use| match what {
        Use::Sqlite => "on a database of SQLite",
        Use::LockFiles => "by lock files",
        Use::Calls => "by flock or fcntl",
    };
    let parts: Vec<String> = uses
        .iter()
        .filter(|(_, count)| *count >= 0.5)
        .map(|(what, count)| format!("{} {}", plain(count.round()), told(*what)))
        .collect();
    let parts = if parts.len() > 1 { parts.join(", ") } else { told(most).to_owned() };
    let counts = || seen.iter().map(|seen| (seen.path.as_str(), evidence.mean(&seen.counted.count)));
    let items = if seen.len() > MOST_FILES {
        folders(counts())
    } else {
        counts().map(|(path, count)| (path.to_owned(), count)).collect()
    };
    let takes = Share::of_latency(evidence, Some(time(evidence, group, &seen)?));
    // The fix is for one use of locks.
    let of_use: Vec<&LockSeen> = seen.iter().filter(|seen| used_for(evidence, seen) == most).copied().collect();
    let at_most = |around: f64| {
        let time = time(evidence, group, &of_use).map_or(0.0, |time| time.high);
        Saves::at_most(&takes, time * around)
    };
    Some(Finding {
        summary: format!("{} locks taken per request, {parts}", count(locks)),
        figures: vec![
            Figure { name: "locks", unit: "1", value: locks },
            Figure { name: "wait", unit: "ns", value: wait },
        ],
        items: Item::largest(items),
        saves: match most {
            Use::Sqlite => Saves::unproved("a write-ahead log also avoids the journal's files"),
            Use::LockFiles => at_most(1.0),
            Use::Calls => at_most(AROUND),
        },
        removes: Removes::part("locks", spared, locks.value),
        check_again: again::weigh(evidence),
        ..Finding::of(&RULE, evidence, Some(group), takes, fix(evidence, group, &seen, most))
    })
}

/// Waiting in locking calls; for lock files and files that are opened for each lock, all calls on them and the
/// application's own work around these.
fn time(evidence: &Evidence, group: usize, seen: &[&LockSeen]) -> Option<Interval> {
    let calls = Counted::sum(seen.iter().filter(|seen| seen.kind != LockKind::File).map(|seen| &seen.counted));
    let mut paths = match seen.iter().any(|seen| seen.kind == LockKind::File) {
        true => lock_files(evidence, group),
        false => BTreeSet::new(),
    };
    let is_opened =
        |seen: &&&LockSeen| is_opened_for_each(evidence, group, &seen.path, evidence.mean(&seen.counted.count));
    paths.extend(seen.iter().filter(is_opened).map(|seen| seen.path.as_str()));
    let files = calls_on(evidence, group, &paths);
    let calls = evidence.time_of(&calls.count, &calls.time_ns)?;
    let files = widened(evidence.time_of(&files.count, &files.time_ns)?, FILE_LOW, FILE_VALUE, FILE_HIGH);
    Some(Interval { value: calls.value + files.value, low: calls.low + files.low, high: calls.high + files.high })
}

fn used_for(evidence: &Evidence, seen: &LockSeen) -> Use {
    match seen.kind {
        LockKind::File => Use::LockFiles,
        LockKind::Call(LockCall::Fcntl) if is_sqlite(evidence, seen) => Use::Sqlite,
        LockKind::Call(_) => Use::Calls,
    }
}

fn is_sqlite(evidence: &Evidence, seen: &LockSeen) -> bool {
    let asks = |query: &unladen_trace::QuerySeen| query.group == seen.group && query.protocol == QueryProtocol::Sqlite;
    evidence.queries.iter().any(asks)
        || [".sqlite", ".sqlite3", ".db", ".db3", "-shm"].iter().any(|end| seen.path.ends_with(end))
}

fn fix(evidence: &Evidence, group: usize, seen: &[&LockSeen], most: Use) -> Fix {
    // Only the database file itself takes statements.
    let is_database =
        |path: &str| path.starts_with('/') && !["-shm", "-wal", "-journal"].iter().any(|end| path.ends_with(end));
    let databases = seen.iter().filter(|seen| used_for(evidence, seen) == Use::Sqlite && is_database(&seen.path));
    let times = |seen: &LockSeen| evidence.mean(&seen.counted.count);
    let database = databases.max_by(|a, b| times(a).total_cmp(&times(b))).map(|seen| seen.path.as_str());
    match (most, database) {
        (Use::Sqlite, Some(path)) => {
            sqlite().command(format!("sqlite3 {} 'PRAGMA journal_mode=WAL;'", quoting::word(path)))
        }
        (Use::Sqlite, None) => sqlite(),
        (Use::LockFiles, _) => Fix::code(
            evidence,
            group,
            "one lock around all of the work instead of one for each file; reading a file that is replaced by rename \
             needs no lock; flock instead of lock files costs one call instead of four",
        ),
        (Use::Calls, _) => {
            let advice = "one lock around all of the work instead of one for each step; reading a file that is \
                replaced by rename needs no lock";
            let is_session = |seen: &&&LockSeen| sessions::is_session(&seen.path);
            let of_sessions: f64 = seen.iter().filter(is_session).map(|seen| times(seen)).sum();
            let all: f64 = seen.iter().map(|seen| times(seen)).sum();
            match sessions::in_memory(evidence, group).filter(|_| of_sessions > 0.5 * all) {
                Some(fix) => fix.for_developers(evidence, group, advice),
                None => Fix::code(evidence, group, advice),
            }
        }
    }
}

fn sqlite() -> Fix {
    Fix::advice(
        "SQLite locks its database for each statement outside a transaction: put a request's statements into one \
         transaction, and use the write-ahead log, whose readers lock less and do not wait for writers: once, with \
         PRAGMA journal_mode=WAL, if the writing processes may create files in its folder",
    )
}

#[cfg(test)]
mod tests;
