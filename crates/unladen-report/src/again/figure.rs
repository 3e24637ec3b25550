//! Figures that several documents share.

use std::time::Duration;

use unladen_document::{Latencies, LatencyIntervals, OpenSpan, Ordered};
use unladen_lockin::{Estimate, samples_needed};
use unladen_quantity::Span;
use unladen_trace::Interval;

use crate::ended::Ended;
use crate::latency::{Latency, LatencyQuantile};
use crate::warning::Warning;

/// Key in documents, name in tables and share of each quantile, in the order of tables.
const QUANTILES: [(&str, &str, f64); 6] = [
    ("p50", "p50", 0.5),
    ("p75", "p75", 0.75),
    ("p90", "p90", 0.9),
    ("p95", "p95", 0.95),
    ("p99", "p99", 0.99),
    ("p999", "p99.9", 0.999),
];

pub(super) fn latency(values: &Latencies, intervals: &LatencyIntervals) -> Option<Latency> {
    let of = |key: &str| values.get(key).copied();
    let quantiles = QUANTILES.into_iter().filter_map(|(key, name, share)| {
        let interval = intervals.get(key).map(|ends| (ends.low, ends.high));
        Some(LatencyQuantile { name, value: of(key)?, interval, needs: samples_needed(share) })
    });
    Some(Latency {
        mean: of("mean")? as f64,
        mean_interval: intervals.get("mean").map(|ends| (ends.low as f64, ends.high as f64)),
        sd: of("sd")? as f64,
        max: of("max")?,
        quantiles: quantiles.collect(),
    })
}

/// For figures whose plain mean is not in the document.
pub(super) fn estimate(span: unladen_document::Span, blocks: u64) -> Estimate {
    Estimate { value: span.value, low: span.low, high: span.high, mean: span.value, blocks: count(blocks) }
}

pub(super) fn span(span: unladen_document::Span) -> Span {
    Span { value: span.value, low: span.low, high: span.high }
}

/// An end that the document lacks is infinite.
pub(super) fn open(span: OpenSpan) -> Span {
    Span { value: span.value, low: span.low.unwrap_or(f64::NEG_INFINITY), high: span.high.unwrap_or(f64::INFINITY) }
}

pub(super) fn interval(value: f64, low: f64, high: f64) -> Interval {
    Interval { value, low, high }
}

pub(super) fn ended(text: &str) -> Ended {
    match text {
        "interrupted" => Ended::Interrupted,
        "failed" => Ended::Failed,
        _ => Ended::Complete,
    }
}

pub(super) fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// `50ms`, as documents write times; `None` for other text.
pub(super) fn time(text: &str) -> Option<Duration> {
    const UNITS: [(&str, u64); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let (_, ns) = UNITS.into_iter().find(|(unit, _)| text.strip_prefix(digits) == Some(unit))?;
    Some(Duration::from_nanos(digits.parse::<u64>().ok()?.checked_mul(ns)?))
}

pub(super) fn statuses(statuses: &Ordered<u64>) -> Vec<(u16, u64)> {
    statuses.iter().filter_map(|(status, count)| Some((status.parse().ok()?, *count))).collect()
}

pub(super) fn warnings(texts: &[String]) -> Vec<Warning> {
    texts.iter().cloned().map(Warning::Told).collect()
}
