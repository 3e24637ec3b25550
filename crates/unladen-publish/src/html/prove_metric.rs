//! The principal function is [`first_quantile`].

use unladen_document::ProveDocument;

/// The metric that represents the latency.
pub(super) fn first_quantile(document: &ProveDocument) -> Option<&str> {
    let mut metrics = document.comparisons.iter().map(|comparison| comparison.metric.as_str());
    metrics.find(|metric| metric.starts_with("latency.p"))
}
