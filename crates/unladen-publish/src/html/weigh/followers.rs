//! The weights of a page, and those that follow its requests.

use unladen_document::{WeighDocument, WeighedUrl, Weight};

/// The whole machine is not one of the groups.
pub(super) const MACHINE: &str = "machine";

pub(super) fn name(url: &WeighedUrl) -> String {
    if url.name.is_empty() { url.url.clone() } else { url.name.clone() }
}

// --- Summary ---

pub(super) fn of_url<'a>(document: &'a WeighDocument, url: &'a WeighedUrl) -> impl Iterator<Item = &'a Weight> {
    document.weights.iter().filter(|weight| weight.url == url.url)
}

pub(super) fn following_cpu<'a>(document: &'a WeighDocument, url: &'a WeighedUrl) -> Vec<&'a Weight> {
    let mut rows: Vec<_> = of_url(document, url).filter(|weight| weight.follows && weight.counter == "cpu").collect();
    rows.sort_by(|a, b| b.per_request.total_cmp(&a.per_request));
    rows
}
