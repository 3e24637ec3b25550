//! Looking for all patterns at once: [`look`].

use unladen_trace::{Evidence, Missing, Source};

use crate::finding::Finding;
use crate::rule::Rule;
use crate::rules::RULES;

/// A rule that could not look, for lack of something to look at.
#[derive(Clone, Copy)]
pub struct Unlooked<'a> {
    /// The rule.
    pub rule: &'static dyn Rule,
    /// What it lacked.
    pub source: Source,
    /// Why it lacked it, if the evidence tells.
    pub missing: Option<&'a Missing>,
}

/// All findings, the largest part of the request first.
pub fn look(evidence: &Evidence) -> Vec<Finding> {
    let able = RULES.iter().filter(|rule| lacks(**rule, evidence).is_none());
    let mut findings: Vec<Finding> = able.flat_map(|rule| rule.check(evidence)).collect();
    findings.sort_by(|a, b| b.share.rank().total_cmp(&a.share.rank()));
    findings
}

/// Rules that could not look.
pub fn unlooked(evidence: &Evidence) -> impl Iterator<Item = Unlooked<'_>> {
    RULES.iter().filter_map(|rule| {
        let source = lacks(*rule, evidence)?;
        let missing = evidence.missing.iter().find(|missing| missing.source == source);
        Some(Unlooked { rule: *rule, source, missing })
    })
}

fn lacks(rule: &dyn Rule, evidence: &Evidence) -> Option<Source> {
    rule.needs().iter().copied().find(|source| !evidence.has(*source))
}
