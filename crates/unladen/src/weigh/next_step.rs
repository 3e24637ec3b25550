//! [`next_step`]: what to do if most of the CPU is in no finding.

use unladen_document::NextStep;
use unladen_finding::{Finding, Share, profile_again};
use unladen_quantity::{Kind, plain};
use unladen_trace::Evidence;

/// If findings explain less than this share of the page's CPU, it is profiled next.
const MOST_OF_IT: f64 = 0.5;

/// The command that shows where the rest is; `None` if findings explain most of it, or the total is unknown.
pub(super) fn next_step(evidence: &Evidence, findings: &[Finding]) -> Option<NextStep> {
    let cpu = evidence.page.cpu.filter(|cpu| cpu.low > 0.0)?;
    let mut told = 0.0;
    for finding in findings {
        match &finding.takes {
            // Waiting time counts as if it were CPU: a missing step is better than a superfluous one.
            Share::Known { time, .. } => told += time.value,
            Share::NearlyAll(_) => return None,
            Share::NotKnown(_) => {}
        }
    }
    if told > MOST_OF_IT * cpu.value {
        return None;
    }
    let of_group = |index: &usize| evidence.groups[*index].cpu.map_or(0.0, |cpu| cpu.value);
    let heaviest = (0..evidence.groups.len()).max_by(|a, b| of_group(a).total_cmp(&of_group(b)));
    let by = heaviest.filter(|index| of_group(index) > 0.0);
    let by = by.map(|index| format!(", most by {}", evidence.full_name(index))).unwrap_or_default();
    let why = format!(
        "{} of {} of CPU per request are outside the findings{by}",
        plain(Kind::Time, cpu.value - told),
        plain(Kind::Time, cpu.value)
    );
    Some(NextStep { url: evidence.page.url.clone(), why, command: profile_again(evidence) })
}

#[cfg(test)]
mod tests;
