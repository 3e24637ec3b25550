//! [`outcome`]: what the proof of a fix says to do.

use unladen_document::{Change, Comparison, Metric, ProveDocument};
use unladen_quantity::{Kind, plain};

use crate::exit::Failure;

/// What to do with a fix, and why: half a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Keep(String),
    PutBack(String),
    /// The proof does not decide.
    Ask(String),
}

/// Keeps a fix if something on the request's path is certainly less and nothing is certainly more. A page that
/// is not the same, or fails, is put back.
pub(crate) fn outcome(proof: &ProveDocument) -> Result<Outcome, Failure> {
    let arm = proof.changed_arm().ok_or(Failure::NothingCompared)?;
    if arm.errors > 0 {
        return Ok(Outcome::PutBack(format!("{} requests failed with it", arm.errors)));
    }
    // As with `unladen prove`: another page, or a part of the answer that should have changed and has not.
    if let Some(doubt) = arm.answers.iter().flat_map(|answer| &answer.doubts).next() {
        return Ok(Outcome::PutBack(doubt.trim_end_matches('.').to_owned()));
    }
    let told: Vec<&Comparison> = proof.of_arm(&arm.name).filter(|one| is_deciding(one)).collect();
    let with = |change: Change| told.iter().filter(move |one| one.change() == change).map(|one| line(one));
    let (better, worse): (Vec<String>, Vec<String>) = (with(Change::Better).collect(), with(Change::Worse).collect());
    Ok(match (better.is_empty(), worse.is_empty()) {
        (false, true) => Outcome::Keep(better.join(", ")),
        (true, false) => Outcome::PutBack(worse.join(", ")),
        (false, false) => Outcome::Ask(format!("{}; but {}", better.join(", "), worse.join(", "))),
        (true, true) => Outcome::Ask("unclear in this time (--prove TIME measures longer)".to_owned()),
    })
}

/// Latency, and the CPU of the groups that answer: other counters follow from these, and some rise in exchange.
fn is_deciding(comparison: &Comparison) -> bool {
    match comparison.kind() {
        Metric::Latency => ["latency.p50", "latency.mean", "cold.latency.p50"].contains(&comparison.metric.as_str()),
        Metric::Weight => comparison.counter.as_deref() == Some("cpu") && comparison.on_path != Some(false),
        Metric::Bytes => true,
        Metric::Within | Metric::Throughput | Metric::Status | Metric::ErrorStatus => false,
    }
}

/// `CPU, php-fpm8.2 30.2 → 27.7 ms, −8.2 % (−10 to −7)`
pub(crate) fn line(comparison: &Comparison) -> String {
    let kind = if comparison.unit == "ns" {
        Kind::Time
    } else if comparison.unit == "B" {
        Kind::Bytes
    } else {
        Kind::Count
    };
    let name = match &comparison.group {
        Some(group) => format!("CPU of {group}"),
        None => comparison.metric.replace("latency.p50", "median latency").replace("latency.mean", "mean latency"),
    };
    let value = |value: Option<f64>| value.map_or_else(|| "?".to_owned(), |value| plain(kind, value));
    let change = comparison.ratio_span().map_or_else(String::new, |ratio| format!(", {}", ratio.change_text()));
    format!("{name} {} → {}{change}", value(comparison.baseline), value(comparison.candidate))
}

#[cfg(test)]
mod tests;
