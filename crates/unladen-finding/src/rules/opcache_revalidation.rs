//! PHP asks for each source file whether it has changed, though its opcode cache holds it.

use std::collections::BTreeSet;

use unladen_trace::{Counted, Evidence, EvidenceSource, FileCall, FileOutcome, FileSeen, PhpSettings, Series, State};

use crate::finding::{Figure, Finding, Item, Share};
use crate::fix::Fix;
use crate::folders::folders;
use crate::php;
use crate::rule::Rule;
use crate::share::{at_least, widened};
use crate::stack::Stack;
use crate::words::count;

/// Fewer files (a request) than this cost less than 0.1 ms: at MediaWiki one costs 1.4 µs (see [`VALUE`]).
const LEAST_FILES: f64 = 50.0;
/// A file that is looked at in fewer requests than this part is not looked at in every request.
pub(super) const MOST_REQUESTS: f64 = 0.5;
/// Seconds for which PHP believes what it saw, unless `opcache.revalidate_freq` says otherwise: PHP's own default.
const DEFAULT_SECONDS: u64 = 2;
/// What a check takes of the latency, over the kernel's part of it. At MediaWiki 1.39, `revalidate_freq=0` adds 9 % to
/// 19.0 ms for 1,183 files, 1.4 µs each, of which the kernel's part is 0.9 µs.
const VALUE: f64 = 1.6;
/// At least the kernel's part itself.
const LOW: f64 = 1.0;
/// At most what a check by the application itself takes, see `stat_storm`.
const HIGH: f64 = 2.7;
/// What believing for longer means in the fix, seconds.
const LONGER: &str = "opcache.revalidate_freq=60";
/// What never asking means in the fix.
const NEVER: &str = "opcache.validate_timestamps=0";

/// See `docs/reference/rules/opcache-revalidation.md`.
pub(super) struct OpcacheRevalidation;

impl Rule for OpcacheRevalidation {
    fn name(&self) -> &'static str {
        "opcache-revalidation"
    }

    fn about(&self) -> &'static str {
        "PHP asks of each source file whether it has changed, in every request"
    }

    fn needs(&self) -> &'static [EvidenceSource] {
        &[EvidenceSource::Syscalls]
    }

    fn page(&self) -> &'static str {
        include_str!("../../../../docs/reference/rules/opcache-revalidation.md")
    }

    fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        (0..evidence.groups.len()).filter_map(|group| self.of_group(evidence, group)).collect()
    }
}

impl OpcacheRevalidation {
    fn of_group(&self, evidence: &Evidence, group: usize) -> Option<Finding> {
        let seen = revalidated(evidence, group);
        // One check of each file in each request is PHP's; more are the application's own.
        let files = at_least(evidence, &Series::sum(seen.iter().map(|file| &file.counted.requests)), LEAST_FILES)?;
        let all = Counted::sum(seen.iter().map(|file| &file.counted));
        let own = evidence.mean(&all.requests) / evidence.mean(&all.count);
        let time = evidence.time_of(&all.count, &all.time_ns).map(|time| widened(time.scaled(own), LOW, VALUE, HIGH));
        let fix = fix(evidence, group);
        Some(Finding {
            rule: self.name(),
            group: evidence.group(group).to_owned(),
            summary: format!(
                "{} source files per request that PHP asks for changes, though its opcode cache holds them",
                count(files)
            ),
            figures: vec![Figure { name: "checks", unit: "1", value: files }],
            items: Item::largest(folders(
                seen.iter().map(|file| (file.path.as_str(), evidence.mean(&file.counted.requests))),
            )),
            share: Share::of_latency(evidence, time),
            check_again: php::again(evidence, &fix, "no revalidation"),
            fix,
        })
    }
}

/// Checks of source files by PHP itself: found, and not opened. In each of the requests that hold one, one is PHP's.
pub(super) fn revalidated(evidence: &Evidence, group: usize) -> Vec<&FileSeen> {
    if Stack::of(evidence, group) != Stack::Php || evidence.state == State::Fresh || !asks(evidence, group) {
        return Vec::new();
    }
    let in_most = |file: &FileSeen| evidence.mean(&file.counted.requests) >= MOST_REQUESTS;
    let own = || evidence.files.iter().filter(move |file| file.group == group && file.outcome == FileOutcome::Found);
    let opened: BTreeSet<&str> =
        own().filter(|file| file.call == FileCall::Open && in_most(file)).map(|file| file.path.as_str()).collect();
    own()
        .filter(|file| file.call == FileCall::Stat && is_source(&file.path) && in_most(file))
        .filter(|file| !opened.contains(file.path.as_str()))
        .collect()
}

/// Whether PHP asks in most requests, by its settings and by how far apart the requests were. Where the settings are
/// not known, what looks like it is taken for it.
fn asks(evidence: &Evidence, group: usize) -> bool {
    let Some(php) = evidence.php_of(group) else { return true };
    if php::has_opcache(evidence, group) == Some(false) || php.is_on("opcache.validate_timestamps") == Some(false) {
        return false;
    }
    // It asks again when so many seconds have passed, whichever worker asked last.
    let seconds = php::number(Some(php), "opcache.revalidate_freq").unwrap_or(DEFAULT_SECONDS);
    seconds == 0 || between_requests(evidence) / (seconds as f64) >= MOST_REQUESTS
}

/// Whether PHP asks in some requests alone, for all that they load at once: every other second, say.
pub(super) fn asks_now_and_then(evidence: &Evidence, group: usize) -> bool {
    let validates = |php: &PhpSettings| php.is_on("opcache.validate_timestamps") != Some(false);
    Stack::of(evidence, group) == Stack::Php
        && evidence.php_of(group).is_some_and(validates)
        && php::has_opcache(evidence, group) == Some(true)
        && !asks(evidence, group)
}

/// Seconds from a request to the next.
fn between_requests(evidence: &Evidence) -> f64 {
    let on = evidence.phases.all().iter().filter(|phase| phase.on);
    let ns: f64 = on.map(|phase| phase.duration_ns as f64).sum();
    ns / 1e9 / (evidence.phases.requests().max(1) as f64)
}

/// By the endings of PHP's source files.
pub(super) fn is_source(path: &str) -> bool {
    [".php", ".inc", ".phtml", ".module", ".theme", ".install"].iter().any(|end| path.ends_with(end))
}

fn fix(evidence: &Evidence, group: usize) -> Fix {
    let seconds = php::number(evidence.php_of(group), "opcache.revalidate_freq");
    if seconds.unwrap_or(0) == 0 {
        return php::fix(
            evidence,
            group,
            format!(
                "let PHP believe for a minute that files have not changed; or for ever ({NEVER}), and reload it at each deployment"
            ),
            &[LONGER],
        );
    }
    php::fix(
        evidence,
        group,
        "requests are further apart than opcache.revalidate_freq: never ask, and reload PHP at each deployment",
        &[NEVER],
    )
}

#[cfg(test)]
mod tests;
