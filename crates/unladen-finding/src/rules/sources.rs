//! What the rules about PHP's source files share: which they are, and when PHP asks whether they have changed.

use std::collections::BTreeSet;

use unladen_trace::{Evidence, FileCall, FileOutcome, FileSeen, PhpSettings, State};

use crate::php;
use crate::stack::Stack;

/// What happens in fewer requests than this part happens now and then, and not in every request: a file was changed, or
/// a worker has begun.
pub(super) const MOST_REQUESTS: f64 = 0.5;
/// Seconds for which PHP believes what it saw, unless `opcache.revalidate_freq` says otherwise: PHP's own default.
const DEFAULT_SECONDS: u64 = 2;

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

/// Sources that PHP holds, as far as it was seen to ask of them whether they have changed: it does so for what it
/// includes, and for nothing else. None where it asked of none, so that nothing can be told.
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

/// Whether a file is checked in some requests once more than in others, or in some alone.
fn is_renewed(evidence: &Evidence, file: &FileSeen) -> bool {
    let (count, requests) = (file.counted.count.total(), file.counted.requests.total());
    evidence.mean(&file.counted.requests) < MOST_REQUESTS || (requests > 0 && !count.is_multiple_of(requests))
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
