//! Time in which the page only sleeps.

use unladen_trace::{Evidence, EvidenceSource};

use crate::finding::{Figure, Finding, Rule, Saves, Share};
use crate::fix::Fix;
use crate::words::many;

/// Shorter sleeps (ns a request) are due to the scheduler.
const LEAST_NS: f64 = 100_000.0;
/// Upper bound (ns) on the slowdown after a sleep, with cold caches and a lowered clock. 6.1 ± 0.5 ms were proved for a
/// sleep of 5.2 (`make advice`, pledges).
const AFTERWARDS_NS: f64 = 1e6;

pub(super) const RULE: Rule = Rule {
    name: "sleep",
    about: "a request sleeps",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/sleep.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence
        .sleeps
        .iter()
        .filter_map(|seen| {
            let sleeps = evidence.per_request(&seen.counted.count)?;
            let time = evidence.time_of(&seen.counted.count, &seen.counted.time_ns)?;
            if sleeps.low <= 0.0 || time.low < LEAST_NS {
                return None;
            }
            let takes = Share::of_latency(evidence, Some(time));
            Some(Finding {
                summary: many(sleeps, "sleep per request", "sleeps per request"),
                figures: vec![Figure { name: "sleeps", unit: "1", value: sleeps }],
                saves: Saves::at_most(&takes, time.high + AFTERWARDS_NS * sleeps.high),
                ..Finding::of(
                    &RULE,
                    evidence,
                    Some(seen.group),
                    takes,
                    Fix::code(
                        evidence,
                        seen.group,
                        "wait for the event instead of sleeping: look for sleep, usleep and retry loops",
                    ),
                )
            })
        })
        .collect()
}
