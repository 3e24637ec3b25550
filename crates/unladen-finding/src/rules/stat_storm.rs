//! Very many checks whether files are there.

mod fix;

use unladen_trace::{Counted, Evidence, EvidenceSource, FileCall, FileOutcome, FileSeen, Interval, LockKind, Series};

use crate::finding::{Figure, Finding, Item, Share};
use crate::folders::{around, folders};
use crate::rule::Rule;
use crate::share::{at_least, widened};
use crate::stack::applications;
use crate::words::{count, plain};

use super::{
    lock_churn::lock_files,
    opcache_revalidation::{MOST_REQUESTS, asks_now_and_then, is_source, revalidated},
    same_file_again::checked_again,
};

/// Fewer checks (a request) than this are not worth a change: at 2.5 µs each (see [`KERNEL_VALUE`]) they take 0.25 ms.
const LEAST_CHECKS: f64 = 100.0;

/// What a check takes of the latency, over the kernel's part of it, which alone is seen: between the two below. At
/// MediaWiki 1.39 a class map took away 690 of 850 `newfstatat` a request; on a quiet machine it took 1.74 ms off, 2.7
/// times the kernel's part, and beside other work 1.56 ms (1.0 to 2.1), 1.7 times (1.1 to 2.3), see
/// `docs/reference/accuracy.md`.
pub(super) const KERNEL_VALUE: f64 = 2.0;
/// At least what nothing but checking takes: a loop over `file_exists` in PHP 8.2 1.1 to 1.5 times the kernel's part,
/// over `-e` in Perl 5.36 1.15 times.
pub(super) const KERNEL_LOW: f64 = 1.1;
/// At most a fifth more than at MediaWiki on a quiet machine, whose autoloader puts a path together for each check.
pub(super) const KERNEL_HIGH: f64 = 3.2;

/// See `docs/reference/rules/stat-storm.md`.
pub(super) struct StatStorm;

impl Rule for StatStorm {
    fn name(&self) -> &'static str {
        "stat-storm"
    }

    fn about(&self) -> &'static str {
        "a request checks hundreds of files, many of which do not exist"
    }

    fn needs(&self) -> &'static [EvidenceSource] {
        &[EvidenceSource::Syscalls]
    }

    fn page(&self) -> &'static str {
        include_str!("../../../../docs/reference/rules/stat-storm.md")
    }

    fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        applications(evidence).filter_map(|group| self.of_group(evidence, group)).collect()
    }
}

impl StatStorm {
    fn of_group(&self, evidence: &Evidence, group: usize) -> Option<Finding> {
        let checks = checks(evidence, group);
        let all = at_least(evidence, &Series::sum(checks.iter().map(|check| &check.count)), LEAST_CHECKS)?;
        let missing = checks.iter().filter(|check| check.is_missing()).map(|check| &check.count);
        let missing = evidence.per_request(&Series::sum(missing))?;
        let mut summary = format!("{} file checks per request", count(all));
        let mut figures = vec![Figure { name: "checks", unit: "1", value: all }];
        if missing.low > 0.0 {
            summary += &format!(", {} of them for files that do not exist", plain(missing.value.round()));
            figures.push(Figure { name: "checks_missing", unit: "1", value: missing });
        }
        let (fix, check_again) = fix::fix(evidence, group, &checks);
        Some(Finding {
            rule: self.name(),
            group: evidence.group(group).to_owned(),
            summary,
            figures,
            items: Item::largest(folders(checks.iter().map(|check| (check.file.path.as_str(), check.mean)))),
            share: Share::of_latency(evidence, time(evidence, &checks)),
            fix,
            check_again,
        })
    }
}

/// Checks of a file that count here.
struct Check<'a> {
    file: &'a FileSeen,
    /// Without those of which other rules tell.
    count: Series,
    /// The same, per request.
    mean: f64,
}

impl Check<'_> {
    fn is_missing(&self) -> bool {
        self.file.outcome == FileOutcome::Missing
    }
}

/// The group's checks, but for those of which `opcache-revalidation`, `same-file-again` and `lock-churn` tell.
fn checks(evidence: &Evidence, group: usize) -> Vec<Check<'_>> {
    let (by_php, again) = (revalidated(evidence, group), checked_again(evidence, group));
    let now_and_then = asks_now_and_then(evidence, group);
    let locks = lock_files(evidence, group);
    let on_the_way = around(locks.iter().copied());
    let taken = evidence.locks.iter().filter(|seen| seen.group == group && seen.kind == LockKind::File);
    let taken = Series::sum(taken.map(|seen| &seen.counted.count));
    let of = |told: &[&FileSeen], file: &FileSeen| told.iter().any(|one| std::ptr::eq(*one, file));
    evidence
        .files
        .iter()
        .filter(|file| file.group == group && is_check(file) && !locks.contains(file.path.as_str()))
        .filter(|file| !is_journal(&file.path))
        .map(|file| {
            let counted = &file.counted;
            let mut count = if of(&again, file) { counted.requests.clone() } else { counted.count.clone() };
            if of(&by_php, file) {
                count = count.less(&counted.requests);
            } else if now_and_then && is_revalidated(file) && !of(&again, file) {
                count = usual(evidence, counted);
            }
            if on_the_way.contains(file.path.as_str()) {
                count = count.less(&taken);
            }
            Check { file, mean: evidence.mean(&count), count }
        })
        .filter(|check| !check.count.is_zero())
        .collect()
}

/// What PHP itself checks to see whether a source has changed.
fn is_revalidated(file: &FileSeen) -> bool {
    file.call == FileCall::Stat && file.outcome == FileOutcome::Found && is_source(&file.path)
}

/// A count without what some requests have besides: a file that is checked in few is none of the usual request's, and
/// of the others it is the usual number.
fn usual(evidence: &Evidence, counted: &Counted) -> Series {
    let requests = evidence.mean(&counted.requests);
    if requests < MOST_REQUESTS {
        return Series::default();
    }
    counted.requests.times((evidence.mean(&counted.count) / requests).round() as u64)
}

/// SQLite looks for its journals whenever it locks its database: whoever asks for fewer statements asks for fewer of
/// these, and no map of files or cache of paths does.
fn is_journal(path: &str) -> bool {
    ["-journal", "-wal", "-shm"].iter().any(|end| path.ends_with(end))
}

fn is_check(file: &FileSeen) -> bool {
    match file.call {
        FileCall::Stat | FileCall::Access | FileCall::Readlink => true,
        FileCall::Open => file.outcome != FileOutcome::Found,
        _ => false,
    }
}

/// The kernel's part is seen; the application's own work around it is known from elsewhere.
fn time(evidence: &Evidence, checks: &[Check<'_>]) -> Option<Interval> {
    let all = Counted::sum(checks.iter().map(|check| &check.file.counted));
    let part = evidence.mean(&Series::sum(checks.iter().map(|check| &check.count))) / evidence.mean(&all.count);
    let kernel = evidence.time_of(&all.count, &all.time_ns)?;
    Some(widened(kernel.scaled(part), KERNEL_LOW, KERNEL_VALUE, KERNEL_HIGH))
}

#[cfg(test)]
mod tests;
