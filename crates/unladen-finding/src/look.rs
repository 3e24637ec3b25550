//! Looking for all patterns at once: [`look`].

use unladen_trace::{Evidence, EvidenceSource, Missing};

use crate::finding::{Finding, Rule};
use crate::rules::RULES;
use crate::{means, place};

/// A rule that could not look, for lack of a source.
#[derive(Clone, Copy)]
pub struct Unlooked<'a> {
    pub rule: &'static Rule,
    pub source: EvidenceSource,
    pub missing: Option<&'a Missing>,
}

/// All findings, the largest part of the request first.
pub fn look(evidence: &Evidence) -> Vec<Finding> {
    // Rules that need only times concern the page, and are reported by the machine that sent the requests.
    let is_asked = |rule: &&&Rule| evidence.host.is_none() || !rule.needs().is_empty();
    let able = RULES.iter().filter(is_asked).filter(|rule| lacks(rule, evidence).is_none());
    let mut findings: Vec<Finding> = able.flat_map(|rule| rule.check(evidence)).collect();
    findings.iter_mut().for_each(|finding| means::place(evidence, finding));
    findings.iter_mut().for_each(|finding| place::of_unknown(evidence, finding));
    findings.iter_mut().for_each(|finding| place::in_container(evidence, finding));
    findings.iter_mut().for_each(|finding| place::on_host(evidence, finding));
    findings.sort_by(|a, b| b.takes.rank().total_cmp(&a.takes.rank()));
    findings
}

/// Rules that could not look, or not everywhere; without a profile, those on profiles were not asked for.
pub fn unlooked(evidence: &Evidence) -> impl Iterator<Item = Unlooked<'_>> {
    let reason = |source: EvidenceSource| evidence.missing.iter().find(move |missing| missing.source == source);
    RULES.iter().filter_map(move |rule| {
        if let Some(source) = lacks(rule, evidence) {
            let is_senders = evidence.host.is_some() && source == EvidenceSource::Response;
            if source == EvidenceSource::Profile || is_senders {
                return None;
            }
            return Some(Unlooked { rule, source, missing: reason(source) });
        }
        // A program that cannot be looked into, such as a PHP that exports no functions.
        let missing = rule.reads().iter().find_map(|source| reason(*source))?;
        Some(Unlooked { rule, source: missing.source, missing: Some(missing) })
    })
}

fn lacks(rule: &Rule, evidence: &Evidence) -> Option<EvidenceSource> {
    rule.needs().iter().copied().find(|source| !evidence.has(*source))
}

#[cfg(test)]
mod tests;
