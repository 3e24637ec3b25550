//! A comparison of an experiment in words. The principal function is [`verdict`].

use std::time::Duration;

use unladen_document::{Change, Comparison, Metric, ProveDocument};
use unladen_quantity::{Kind, Quantity, Span, bucket_text, percent, plain, settling, short, with_sign};

use crate::figures;

/// `p50` for `latency.p50`, `cold p50` for `cold.latency.p50`, `within 50 ms` for `within.50ms`.
pub(crate) fn title(metric: &str) -> String {
    let (cold, rest) = metric.strip_prefix("cold.").map_or(("", metric), |rest| ("cold ", rest));
    match rest.split_once('.') {
        Some(("latency", name)) => format!("{cold}{name}"),
        Some(("within", bound)) => format!("{cold}within {}", bound_text(bound)),
        Some(("bytes", of)) => format!("{of} bytes"),
        Some(("statuses", status)) => format!("status {status}"),
        Some((kind, name)) => format!("{cold}{kind} {name}"),
        None => format!("{cold}{rest}"),
    }
}

/// `500 µs` for `500us`, `2.5 s` for `2500ms`; other text unchanged.
pub(crate) fn bound_text(bound: &str) -> String {
    const UNITS: [(&str, u64); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
    let digits = bound.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = UNITS.iter().find(|(unit, _)| bound.strip_prefix(digits) == Some(unit));
    let ns = unit.and_then(|(_, ns)| digits.parse::<u64>().ok()?.checked_mul(*ns));
    ns.map_or_else(|| bound.to_owned(), |ns| bucket_text(Duration::from_nanos(ns)))
}

pub(crate) fn value(comparison: &Comparison, value: Option<f64>) -> String {
    let value = value.unwrap_or(f64::NAN);
    match comparison.kind() {
        metric if metric.is_share() && value.is_finite() => figures::share_text(value),
        Metric::Throughput => format!("{}/s", plain(Kind::Count, value)),
        _ => plain(kind(comparison), value),
    }
}

fn kind(comparison: &Comparison) -> Kind {
    figures::kind(&comparison.unit)
}

/// The noise floor, in the words of the verdict.
pub(crate) fn floor(comparison: &Comparison) -> String {
    let Some(floor) = comparison.floor else { return plain(Kind::Count, f64::NAN) };
    match (comparison.kind(), comparison.ratio) {
        (metric, Some(_)) if metric.is_share() => points(floor * comparison.baseline.unwrap_or(f64::NAN)),
        (metric, None) if metric.is_share() => points(floor),
        (_, Some(_)) => format!("{} %", percent(floor)),
        (_, None) => plain(kind(comparison), floor),
    }
}

/// Whether it is a weight of a group off the requests' path, which was judged separately.
pub(crate) fn is_beside(comparison: &Comparison) -> bool {
    comparison.on_path == Some(false)
}

/// Margin of equality, in the words of the verdict: ` within ±5 %`.
pub(crate) fn margin(comparison: &Comparison) -> String {
    let Some(margin) = comparison.margin() else { return String::new() };
    let text = match (comparison.kind(), comparison.ratio) {
        (metric, _) if metric.is_share() => format!("{} points", short(Kind::Count, 100.0 * margin)),
        (_, Some(_)) => format!("{} %", short(Kind::Count, 100.0 * margin)),
        (_, None) => plain(kind(comparison), margin),
    };
    format!(" within ±{text}")
}

/// The metric that represents the latency.
pub(crate) fn first_quantile(document: &ProveDocument) -> Option<&str> {
    let mut metrics = document.comparisons.iter().map(|comparison| comparison.metric.as_str());
    metrics.find(|metric| metric.starts_with("latency.p"))
}

/// Unclear latencies and throughput, each metric once, with the remaining time to settle it in every arm.
pub(crate) fn unclear(document: &ProveDocument) -> Option<String> {
    let mut unclear: Vec<(&str, Option<u64>)> = Vec::new();
    let is_unclear = |one: &&Comparison| {
        one.change() == Change::Unclear && matches!(one.kind(), Metric::Latency | Metric::Throughput)
    };
    for comparison in document.comparisons.iter().filter(is_unclear) {
        let more = comparison.time_to_settle_ns.map(|time| time.saturating_sub(document.elapsed_ns));
        match unclear.iter_mut().find(|(metric, _)| *metric == comparison.metric) {
            Some((_, longest)) => *longest = (*longest).max(more),
            None => unclear.push((&comparison.metric, more)),
        }
    }
    settling(unclear.into_iter().map(|(metric, more)| (title(metric), more.map(Duration::from_nanos))))
}

/// `faster by 13.4 % (12.1 to 14.6)`, `no measurable difference within ±5 % (−0.9 to +0.4 %)`.
pub(crate) fn verdict(comparison: &Comparison) -> String {
    let metric = comparison.kind();
    let counts = matches!(metric, Metric::Within | Metric::Throughput);
    match comparison.change() {
        Change::Better if counts => format!("more by {}", size(comparison)),
        Change::Worse if counts => format!("less by {}", size(comparison)),
        Change::Better | Change::Worse => format!("{} by {}", comparison.verdict, size(comparison)),
        Change::Unclear => format!("{}{}", comparison.change().as_str(metric), both(comparison)),
        Change::Equal => format!("{}{}{}", comparison.change().as_str(metric), margin(comparison), both(comparison)),
    }
}

pub(crate) fn ratio(comparison: &Comparison) -> Option<Span> {
    Some(Span { value: comparison.ratio?, low: comparison.low?, high: comparison.high? })
}

fn difference(comparison: &Comparison) -> Span {
    let difference = comparison.difference;
    let [low, high] = [difference.low, difference.high].map(|end| end.unwrap_or(f64::NAN));
    Span { value: difference.value, low, high }
}

/// `13.4 % (12.1 to 14.6)`, from the side of the change.
pub(crate) fn size(comparison: &Comparison) -> String {
    match (comparison.kind(), ratio(comparison)) {
        (metric, _) if metric.is_share() => {
            let Span { value, low, high } = upward(difference(comparison));
            format!("{} ({} to {})", points(value), percent(low), percent(high))
        }
        (_, Some(ratio)) => {
            let Span { value, low, high } = upward(ratio.less_one());
            format!("{} % ({} to {})", percent(value), percent(low), percent(high))
        }
        (_, None) => {
            let difference = upward(difference(comparison));
            let margin = difference.margin();
            if !margin.is_finite() {
                return plain(kind(comparison), difference.value);
            }
            Quantity { kind: kind(comparison), value: difference.value, margin }.to_string()
        }
    }
}

/// ` (−0.9 to +0.4 %)`: both directions remain possible.
fn both(comparison: &Comparison) -> String {
    let (Span { low, high, .. }, unit) = match (comparison.kind(), ratio(comparison)) {
        (metric, _) if metric.is_share() => (difference(comparison), "points"),
        (_, Some(ratio)) => (ratio.less_one(), "%"),
        (_, None) => {
            let Span { low, high, .. } = difference(comparison);
            if !low.is_finite() || !high.is_finite() {
                return String::new();
            }
            let [low, high] = [low, high].map(|end| {
                let sign = if end < 0.0 { "−" } else { "+" };
                format!("{sign}{}", plain(kind(comparison), end.abs()))
            });
            return format!(" ({low} to {high})");
        }
    };
    format!(" ({} to {} {unit})", with_sign(low), with_sign(high))
}

/// Flips the sign so that the value is positive.
fn upward(span: Span) -> Span {
    if span.value < 0.0 { Span { value: -span.value, low: -span.high, high: -span.low } } else { span }
}

fn points(share: f64) -> String {
    format!("{} points", percent(share))
}

#[cfg(test)]
mod tests;
