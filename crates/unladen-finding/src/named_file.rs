//! [`named_file`]: an application's file, such as its settings, that a fix names.

use unladen_trace::{Counted, Evidence, FileSeen};

#[cfg(test)]
mod tests;

/// Calls that a request adds; `None` if they cannot be told from the group's other work.
///
/// Calls that never happen without requests belong to these, however rare: PHP rechecks a file only after seconds.
pub(crate) fn followed(evidence: &Evidence, calls: &Counted) -> Option<f64> {
    let mean = evidence.mean(&calls.count);
    let phases = evidence.phases.all().iter().enumerate();
    let is_theirs = phases.filter(|(_, phase)| !phase.on).all(|(index, _)| calls.count.in_phase(index) == 0);
    let is_known = || evidence.per_request(&calls.count).is_some_and(|interval| interval.low > 0.0);
    (mean > 0.0 && (is_theirs || is_known())).then_some(mean)
}

/// The matching file on which requests add most calls. Other sites may run under the same user, so calls that the group
/// also makes in phases without requests do not count.
pub(crate) fn named_file(evidence: &Evidence, group: usize, is_meant: impl Fn(&FileSeen) -> bool) -> Option<&FileSeen> {
    let files = evidence.files.iter().filter(|file| file.group == group && is_meant(file));
    files
        .filter_map(|file| Some((followed(evidence, &file.counted)?, file)))
        .reduce(|most, next| if next.0 > most.0 { next } else { most })
        .map(|(_, file)| file)
}
