//! [`named_file`]: a file of an application, such as its settings, that a fix names.

use unladen_trace::{Counted, Evidence, FileSeen};

#[cfg(test)]
mod tests;

/// How many of such calls a request adds; none: it adds none that can be told from other work of the group.
///
/// What never happens without requests is theirs, however rarely it happens: PHP looks at a file again after seconds.
pub(crate) fn followed(evidence: &Evidence, calls: &Counted) -> Option<f64> {
    let mean = evidence.mean(&calls.count);
    let phases = evidence.phases.all().iter().enumerate();
    let is_theirs = phases.filter(|(_, phase)| !phase.on).all(|(index, _)| calls.count.in_phase(index) == 0);
    let is_known = || evidence.per_request(&calls.count).is_some_and(|interval| interval.low > 0.0);
    (mean > 0.0 && (is_theirs || is_known())).then_some(mean)
}

/// The file of that kind upon which the requests add most calls. Other sites may run under the same user: what the
/// group does in phases without requests is theirs.
pub(crate) fn named_file(evidence: &Evidence, group: usize, is_meant: impl Fn(&FileSeen) -> bool) -> Option<&FileSeen> {
    let files = evidence.files.iter().filter(|file| file.group == group && is_meant(file));
    files
        .filter_map(|file| Some((followed(evidence, &file.counted)?, file)))
        .reduce(|most, next| if next.0 > most.0 { next } else { most })
        .map(|(_, file)| file)
}
