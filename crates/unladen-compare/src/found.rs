//! Patterns of waste of a document.

use unladen_document::{Document, Finding};

/// Page, rule, group and state.
pub(crate) type FindingKey = (String, String, String, String);

/// Maximum findings of one document; rules and groups are some dozens each.
const MOST_FINDINGS: usize = 1000;

pub(crate) fn findings(document: &Document) -> &[Finding] {
    let all: &[Finding] = match document {
        Document::Weigh(document) => &document.findings,
        Document::Profile(document) => &document.findings,
        _ => &[],
    };
    all.get(..MOST_FINDINGS).unwrap_or(all)
}

pub(crate) fn finding_key(finding: &Finding) -> FindingKey {
    (finding.url.clone(), finding.rule.clone(), finding.group.clone(), finding.state.clone())
}
