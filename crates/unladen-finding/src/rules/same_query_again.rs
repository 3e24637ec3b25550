//! The very same query repeated in one request.

use unladen_trace::{Evidence, EvidenceSource, QuerySeen};

use crate::finding::{Figure, Finding, Item, Rule, Share};
use crate::fix::Fix;
use crate::rules::{peers, statements};
use crate::words::many;

/// Least repeats a request: one often happens between parts that do not know of each other.
const LEAST_REPEATS: f64 = 2.0;

pub(super) const RULE: Rule = Rule {
    name: "same-query-again",
    about: "the same query is sent again within one request",
    needs: &[EvidenceSource::Syscalls],
    reads: &[EvidenceSource::Sqlite],
    page: include_str!("../../pages/same-query-again.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let repeatable = |seen: &&QuerySeen| statements::is_repeatable(seen) && !statements::hides_values(seen);
    evidence.queries.iter().filter(repeatable).filter_map(|seen| one(evidence, seen)).collect()
}

fn one(evidence: &Evidence, seen: &QuerySeen) -> Option<Finding> {
    let repeats = peers::often(evidence, &seen.identical, LEAST_REPEATS)?;
    let part = peers::part(evidence, &seen.identical, &seen.counted.count)?;
    let time = peers::time(evidence, &[&seen.counted]).map(|time| time.scaled(part));
    let takes = Share::of_latency(evidence, time);
    Some(Finding {
        summary: format!(
            "{} per request of a query that was answered before, same text and values: {}",
            many(repeats, "repeat", "repeats"),
            peers::cut(&seen.fingerprint)
        ),
        figures: vec![Figure { name: "repeats", unit: "1", value: repeats }],
        items: vec![Item { name: format!("{}, of {}", seen.example, seen.database), per_request: repeats.value }],
        saves: peers::fewer_questions(evidence, seen.group, &takes),
        ..Finding::of(
            &RULE,
            evidence,
            Some(seen.group),
            takes,
            Fix::code(
                evidence,
                seen.group,
                "keep the result for the rest of the request: in a static variable or a property where it is queried, \
             or pass it to the parts that need it",
            ),
        )
    })
}

#[cfg(test)]
mod tests;
