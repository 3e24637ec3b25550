//! The principal type is [`Check`].

use unladen_trace::{Counted, Evidence, FileCall, FileOutcome, FileSeen, LockKind, Series};

use crate::folders::around;
use crate::rules::locks::lock_files;
use crate::rules::same_file_again::checked_again;
use crate::rules::sources::{MOST_REQUESTS, asks_now_and_then, is_source, revalidated};

pub(super) struct Check<'a> {
    pub(super) file: &'a FileSeen,
    /// Without those that other rules report.
    pub(super) count: Series,
    pub(super) mean: f64,
}

impl Check<'_> {
    pub(super) fn is_opening(&self) -> bool {
        self.file.call == FileCall::Open
    }

    pub(super) fn is_missing(&self) -> bool {
        self.file.outcome == FileOutcome::Missing
    }
}

/// The group's checks, except those that `opcache-revalidation`, `same-file-again` and `lock-churn` report.
pub(super) fn of_group(evidence: &Evidence, group: usize) -> Vec<Check<'_>> {
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

/// Whether PHP itself checks the file to see if a source has changed.
fn is_revalidated(file: &FileSeen) -> bool {
    file.call == FileCall::Stat && file.outcome == FileOutcome::Found && is_source(&file.path)
}

/// A count without occasional extras: 0 for a file that few requests check, else the usual number.
fn usual(evidence: &Evidence, counted: &Counted) -> Series {
    let requests = evidence.mean(&counted.requests);
    if requests < MOST_REQUESTS {
        return Series::default();
    }
    counted.requests.times((evidence.mean(&counted.count) / requests).round() as u64)
}

/// SQLite looks for its journals whenever it locks its database: only fewer statements reduce these checks.
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
