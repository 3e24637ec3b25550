//! Figures of documents as people read them. The principal function is [`with_margin`].

use unladen_document::{Latencies, LatencyIntervals, OpenSpan, Span};
use unladen_quantity::{Kind, Quantity, UNKNOWN, between, percent, plain};

/// Keys of quantiles in documents with their titles, in the order of tables.
pub(crate) const QUANTILES: [(&str, &str); 7] = [
    ("p50", "p50"),
    ("p75", "p75"),
    ("p90", "p90"),
    ("p95", "p95"),
    ("p99", "p99"),
    ("p999", "p99.9"),
    ("mean", "mean"),
];

/// Number format for a document's unit.
pub(crate) fn kind(unit: &str) -> Kind {
    Kind::of_unit(unit)
}

/// `17.92 ± 0.21 ms`
pub(crate) fn with_margin(kind: Kind, value: f64, low: f64, high: f64) -> String {
    let margin = (high - value).max(value - low);
    if margin.is_finite() && margin > 0.0 { Quantity { kind, value, margin }.to_string() } else { plain(kind, value) }
}

pub(crate) fn span(kind: Kind, span: Span) -> String {
    with_margin(kind, span.value, span.low, span.high)
}

/// `18.9 to 19.4 ms`
pub(crate) fn interval(kind: Kind, low: f64, high: f64) -> String {
    if low.is_finite() && high.is_finite() { between(kind, low, high) } else { String::new() }
}

/// `98.8 ± 0.2 %`
pub(crate) fn share(share: OpenSpan) -> String {
    let value = percent(share.value);
    let margin = share.closed().map(|share| percent((share.margin() * 1_000.0).ceil() / 1_000.0));
    margin.map_or_else(|| format!("{value} %"), |margin| format!("{value} ± {margin} %"))
}

/// `98.8 %`; rounding never makes a share 100 %.
pub(crate) fn share_text(share: f64) -> String {
    if !share.is_finite() {
        return UNKNOWN.to_owned();
    }
    let decimals = if share < 1.0 && share > 0.9995 { 3 } else { 1 };
    let text = format!("{:.decimals$}", share * 100.0);
    format!("{} %", if share >= 1.0 { "100" } else { &text })
}

/// What a document calls a counter; of an older one `CPU` for `cpu`, `minor faults` for `minor_faults`.
pub(crate) fn counter(title: &str, name: &str) -> String {
    match name {
        _ if !title.is_empty() => title.to_owned(),
        "cpu" => "CPU".to_owned(),
        "cpu_user" => "CPU, user".to_owned(),
        "cpu_system" => "CPU, kernel".to_owned(),
        _ => name.replace('_', " "),
    }
}

pub(crate) fn count(number: u64, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", unladen_quantity::grouped(number as f64, 0))
}

pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

pub(crate) fn classes(number: u64) -> String {
    format!("{} {}", unladen_quantity::grouped(number as f64, 0), if number == 1 { "class" } else { "classes" })
}

pub(crate) fn latency(latencies: &Latencies, key: &str) -> Option<f64> {
    latencies.get(key).map(|ns| *ns as f64)
}

pub(crate) fn latency_interval(intervals: &LatencyIntervals, key: &str) -> Option<(f64, f64)> {
    intervals.get(key).map(|interval| (interval.low as f64, interval.high as f64))
}

#[cfg(test)]
mod tests;
