//! PHP checks each source file for changes, though its opcode cache holds it.

use unladen_trace::{Counted, Evidence, EvidenceSource, Series};

use crate::finding::{Figure, Finding, Item, Rule, Share, at_least, widened};
use crate::fix::Fix;
use crate::folders::folders;
use crate::php;
use crate::rules::files::revalidated;
use crate::words::count;

/// Fewer files (a request) cost less than 0.1 ms: at MediaWiki one costs 1.4 µs (see [`VALUE`]).
const LEAST_FILES: f64 = 50.0;
/// Latency of a check relative to the kernel's part. At MediaWiki 1.39, `revalidate_freq=0` adds 9 % to 19.0 ms for
/// 1,183 files, 1.4 µs each, of which the kernel's part is 0.9 µs.
const VALUE: f64 = 1.6;
/// Lower end: the kernel's part itself.
const LOW: f64 = 1.0;
/// Upper end: a check by the application itself, see `stat_storm`.
const HIGH: f64 = 2.7;
const LONGER: &str = "opcache.revalidate_freq=60";
const NEVER: &str = "opcache.validate_timestamps=0";

pub(super) const RULE: Rule = Rule {
    name: "opcache-revalidation",
    about: "PHP checks in every request whether each source file has changed",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/opcache-revalidation.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    (0..evidence.groups.len()).filter_map(|group| of_group(evidence, group)).collect()
}

fn of_group(evidence: &Evidence, group: usize) -> Option<Finding> {
    let seen = revalidated(evidence, group);
    // One check of each file in each request is PHP's; more are the application's own.
    let files = at_least(evidence, &Series::sum(seen.iter().map(|file| &file.counted.requests)), LEAST_FILES)?;
    let all = Counted::sum(seen.iter().map(|file| &file.counted));
    let own = evidence.mean(&all.requests) / evidence.mean(&all.count);
    let time = evidence.time_of(&all.count, &all.time_ns).map(|time| widened(time.scaled(own), LOW, VALUE, HIGH));
    let fix = php::switched(evidence, group, fix(evidence, group), "no revalidation");
    let takes = Share::of_latency(evidence, time);
    Some(Finding {
        summary: format!(
            "{} source files per request that PHP checks for changes, though its opcode cache has them",
            count(files)
        ),
        figures: vec![Figure { name: "checks", unit: "1", value: files }],
        items: Item::largest(folders(
            seen.iter().map(|file| (file.path.as_str(), evidence.mean(&file.counted.requests))),
        )),
        ..Finding::of(&RULE, evidence, Some(group), takes, fix)
    })
}

fn fix(evidence: &Evidence, group: usize) -> Fix {
    let seconds = php::number(evidence.php_of(group), "opcache.revalidate_freq");
    if seconds.unwrap_or(0) == 0 {
        return php::fix(
            evidence,
            group,
            format!(
                "let PHP assume for a minute that files have not changed; or for ever ({NEVER}), with a reload at \
                 each deployment"
            ),
            &[LONGER],
        );
    }
    php::fix(
        evidence,
        group,
        "requests are further apart than opcache.revalidate_freq: never check, and reload PHP at each deployment",
        &[NEVER],
    )
}

#[cfg(test)]
mod tests;
