//! Figures that several documents share.

use std::time::Duration;

use unladen_document::{Interval, Latencies, LatencyIntervals, Span};
use unladen_lockin::Estimate;

use crate::latency::Latency;

pub(super) fn estimate(estimate: Estimate) -> Span {
    Span { value: estimate.value, low: estimate.low, high: estimate.high }
}

pub(super) fn span(span: unladen_quantity::Span) -> Span {
    Span { value: span.value, low: span.low, high: span.high }
}

pub(super) fn interval(interval: unladen_trace::Interval) -> Span {
    Span { value: interval.value, low: interval.low, high: interval.high }
}

pub(super) fn latency(latency: Option<&Latency>) -> Latencies {
    let Some(latency) = latency else { return Latencies::new() };
    let mut values: Latencies = latency.quantiles.iter().map(|quantile| (key(quantile.name), quantile.value)).collect();
    values.insert("mean".into(), latency.mean.round() as u64);
    values.insert("sd".into(), latency.sd.round() as u64);
    values.insert("max".into(), latency.max);
    values
}

/// `p999` for `p99.9`, since a dot would split the field's name.
fn key(name: &str) -> String {
    name.replace('.', "")
}

/// Of the quantiles that carry one, and the mean.
pub(super) fn intervals(latency: Option<&Latency>) -> LatencyIntervals {
    let Some(latency) = latency else { return LatencyIntervals::new() };
    let of = |name, (low, high)| (key(name), Interval { low, high });
    let quantiles =
        latency.quantiles.iter().filter_map(|quantile| quantile.interval.map(|ends| of(quantile.name, ends)));
    let mean = latency.mean_interval.map(|(low, high)| of("mean", (low.round() as u64, high.round() as u64)));
    quantiles.chain(mean).collect()
}

/// Nanoseconds, as documents have durations.
pub fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The word by which an enum without fields is written.
pub(super) fn word(value: impl serde::Serialize) -> String {
    let word = serde_json::to_value(value).ok();
    word.and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}
