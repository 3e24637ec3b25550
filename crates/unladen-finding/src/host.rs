//! Findings on another host: [`place`].

use unladen_trace::Evidence;

use crate::again;
use crate::finding::Finding;

/// Names the host in a finding and its fix. Removes the knob, which would write this machine's files.
pub(crate) fn place(evidence: &Evidence, finding: &mut Finding) {
    let Some(host) = &evidence.host else { return };
    if !finding.group.is_empty() {
        finding.group = format!("{host}/{}", finding.group);
    }
    let fix = &mut finding.fix;
    fix.advice = format!("on {host}: {}", fix.advice);
    for file in fix.file.iter_mut().chain(fix.also.iter_mut().map(|part| &mut part.file)) {
        *file = format!("{file}, on {host}");
    }
    fix.host = Some(host.clone());
    fix.knob = None;
    finding.check_again = again::weigh(evidence);
}

#[cfg(test)]
mod tests;
