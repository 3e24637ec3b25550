//! Patterns of waste of a document.

use unladen_document::{Document, Finding};

/// Page, rule, group and state.
pub(crate) type FindingKey = (String, String, String, String);

pub(crate) fn findings(document: &Document) -> &[Finding] {
    match document {
        Document::Weigh(document) => &document.findings,
        Document::Profile(document) => &document.findings,
        _ => &[],
    }
}

pub(crate) fn finding_key(finding: &Finding) -> FindingKey {
    (finding.url.clone(), finding.rule.clone(), finding.group.clone(), finding.state.clone())
}
