//! [`statements`]: the statements that take most of the database's time.

use std::collections::BTreeMap;

use unladen_document::{Span, Statement};
use unladen_trace::{Evidence, Interval, QuerySeen, Series};

/// Most statements kept.
const MOST: usize = 5;
/// From this share of the latency on, the database is worth a table.
const NOTICEABLE: f64 = 0.05;

/// The most expensive statements, if all of them together take a noticeable part of the page.
pub(super) fn statements(evidence: &Evidence) -> Vec<Statement> {
    let mut alike: BTreeMap<(usize, &str, &str), Vec<&QuerySeen>> = BTreeMap::new();
    for seen in &evidence.queries {
        alike.entry((seen.group, &seen.database, &seen.fingerprint)).or_default().push(seen);
    }
    let mut rows: Vec<Statement> = alike
        .into_iter()
        .filter_map(|((group, database, fingerprint), all)| {
            let executed = || all.iter().map(|seen| &seen.counted);
            let asked = || executed().chain(all.iter().map(|seen| &seen.prepares));
            let calls = Series::sum(asked().map(|counted| &counted.count));
            let time = Series::sum(asked().map(|counted| &counted.time_ns));
            let span = |Interval { value, low, high }| Span { value, low, high };
            let time_ns = span(evidence.time_of(&calls, &time)?);
            Some(Statement {
                url: evidence.page.url.clone(),
                group: evidence.full_name(group),
                database: database.to_owned(),
                statement: fingerprint.to_owned(),
                calls: span(evidence.per_request(&Series::sum(executed().map(|counted| &counted.count)))?),
                time_ns,
            })
        })
        .filter(|row| row.time_ns.value > 0.0)
        .collect();
    let whole: f64 = rows.iter().map(|row| row.time_ns.value).sum();
    if evidence.page.latency.is_none_or(|latency| whole < NOTICEABLE * latency.value) {
        return Vec::new();
    }
    rows.sort_by(|a, b| b.time_ns.value.total_cmp(&a.time_ns.value));
    rows.truncate(MOST);
    rows
}

#[cfg(test)]
mod tests;
