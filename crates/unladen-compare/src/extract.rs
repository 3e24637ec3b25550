//! Figures of documents, by metric.

use unladen_document::{Document, Finding};

use crate::found::findings;
use crate::key::Key;
use crate::measured::Measured;

mod latencies;
mod load;
mod profile;
mod prove;
mod share;
mod weigh;

/// Maximum figures of one document: one with a hundred groups has five thousand. Documents may come from elsewhere.
const MOST_FIGURES: usize = 20_000;

/// All comparable figures of a document, in its order.
pub(crate) fn figures(document: &Document) -> Vec<(Key, Measured)> {
    let mut figures = match document {
        Document::Weigh(document) => weigh::figures(document),
        Document::Load(document) => load::figures(document),
        Document::Prove(document) => prove::figures(document),
        Document::Profile(document) => profile::figures(document),
        Document::ProfileDiff(_) | Document::ClassmapCheck(_) => Vec::new(),
    };
    figures.extend(findings(document).iter().filter_map(finding));
    // A document from elsewhere may contain anything.
    figures.retain(|(_, measured)| measured.is_finite());
    figures.truncate(MOST_FIGURES);
    figures
}

/// The finding's count.
fn finding(finding: &Finding) -> Option<(Key, Measured)> {
    let first = finding.evidence.figures.first()?;
    let measured = Measured::spanned(first.per_request, first.low, first.high);
    Some((Key::of_finding(finding, &first.unit), Measured { shown: false, ..measured }))
}

#[cfg(test)]
mod tests;
