//! A comparison of an experiment in words. The principal function is [`verdict`].

use std::time::Duration;

use unladen_document::Comparison;
use unladen_quantity::{Kind, Quantity, Span, bucket_text, percent, plain, with_sign};

use crate::figures;

/// Which way a metric went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Better,
    Worse,
    Equal,
    TooFew,
}

/// What kind of figure a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Metric {
    Latency,
    Within,
    Throughput,
    Weight,
    /// Bytes of the answers.
    Bytes,
    /// The share of answers that have a status.
    Status,
}

/// Which way a comparison went.
pub(crate) fn way(comparison: &Comparison) -> Way {
    match comparison.verdict.as_str() {
        "faster" | "lighter" => Way::Better,
        "slower" | "heavier" => Way::Worse,
        "more" if is_of_errors(comparison) => Way::Worse,
        "less" if is_of_errors(comparison) => Way::Better,
        "more" => Way::Better,
        "less" => Way::Worse,
        "no measurable difference" => Way::Equal,
        _ => Way::TooFew,
    }
}

/// Whether a share is that of a status from 400 on.
fn is_of_errors(comparison: &Comparison) -> bool {
    comparison.metric.strip_prefix("statuses.").is_some_and(|status| status.starts_with(['4', '5']))
}

/// What a comparison is of.
pub(crate) fn metric(comparison: &Comparison) -> Metric {
    let name = comparison.metric.strip_prefix("cold.").unwrap_or(&comparison.metric);
    match name.split('.').next() {
        Some("within") => Metric::Within,
        Some("throughput") => Metric::Throughput,
        Some("weight") => Metric::Weight,
        Some("bytes") => Metric::Bytes,
        Some("statuses") => Metric::Status,
        _ => Metric::Latency,
    }
}

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

/// `500 µs` for `500us`, `2.5 s` for `2500ms`; as it is where it is no bound.
pub(crate) fn bound_text(bound: &str) -> String {
    const UNITS: [(&str, u64); 4] = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
    let digits = bound.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = UNITS.iter().find(|(unit, _)| bound.strip_prefix(digits) == Some(unit));
    let ns = unit.and_then(|(_, ns)| digits.parse::<u64>().ok()?.checked_mul(*ns));
    ns.map_or_else(|| bound.to_owned(), |ns| bucket_text(Duration::from_nanos(ns)))
}

/// A value of the comparison's metric.
pub(crate) fn value(comparison: &Comparison, value: Option<f64>) -> String {
    let value = value.unwrap_or(f64::NAN);
    match metric(comparison) {
        Metric::Within | Metric::Status if value.is_finite() => figures::share_text(value),
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
    match (metric(comparison), comparison.ratio) {
        (Metric::Within | Metric::Status, Some(_)) => points(floor * comparison.baseline.unwrap_or(f64::NAN)),
        (Metric::Within | Metric::Status, None) => points(floor),
        (_, Some(_)) => format!("{} %", percent(floor)),
        (_, None) => plain(kind(comparison), floor),
    }
}

/// `faster by 13.4 % (12.1 to 14.6)`, `no measurable difference (−0.9 to +0.4 %)`.
pub(crate) fn verdict(comparison: &Comparison) -> String {
    let metric = metric(comparison);
    let counts = matches!(metric, Metric::Within | Metric::Throughput);
    match way(comparison) {
        Way::Better if counts => format!("more by {}", size(comparison)),
        Way::Worse if counts => format!("less by {}", size(comparison)),
        Way::Better | Way::Worse => format!("{} by {}", comparison.verdict, size(comparison)),
        Way::TooFew => format!("too few blocks to judge{}", both(comparison)),
        Way::Equal => format!("no measurable difference{}", both(comparison)),
    }
}

/// Of the ratio, where there is one.
pub(crate) fn ratio(comparison: &Comparison) -> Option<Span> {
    Some(Span { value: comparison.ratio?, low: comparison.low?, high: comparison.high? })
}

fn difference(comparison: &Comparison) -> Span {
    let difference = comparison.difference;
    let [low, high] = [difference.low, difference.high].map(|end| end.unwrap_or(f64::NAN));
    Span { value: difference.value, low, high }
}

/// `13.4 % (12.1 to 14.6)`, always from the side on which the change lies.
pub(crate) fn size(comparison: &Comparison) -> String {
    match (metric(comparison), ratio(comparison)) {
        (Metric::Within | Metric::Status, _) => {
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

/// ` (−0.9 to +0.4 %)`: where nothing is told, both directions are left.
fn both(comparison: &Comparison) -> String {
    let (Span { low, high, .. }, unit) = match (metric(comparison), ratio(comparison)) {
        (Metric::Within | Metric::Status, _) => (difference(comparison), "points"),
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

/// Turned so that the value is positive.
fn upward(span: Span) -> Span {
    if span.value < 0.0 { Span { value: -span.value, low: -span.high, high: -span.low } } else { span }
}

fn points(share: f64) -> String {
    format!("{} points", percent(share))
}

#[cfg(test)]
mod tests {
    use unladen_document::OpenSpan;

    use super::*;

    fn comparison(metric: &str, unit: &str, verdict: &str, ratio: Option<f64>, difference: f64) -> Comparison {
        let margin = if unit == "ns" { 9e3 } else { 1e-3 };
        Comparison {
            metric: metric.into(),
            unit: unit.into(),
            verdict: verdict.into(),
            ratio,
            low: ratio.map(|ratio| ratio - 0.01),
            high: ratio.map(|ratio| ratio + 0.01),
            difference: OpenSpan { value: difference, low: Some(difference - margin), high: Some(difference + margin) },
            baseline: Some(0.2),
            floor: Some(0.01),
            ..Comparison::default()
        }
    }

    #[test]
    fn verdicts_read_as_on_the_terminal() {
        let text = |metric, unit, word, ratio, difference| verdict(&comparison(metric, unit, word, ratio, difference));
        assert_eq!(text("latency.p50", "ns", "faster", Some(0.866), -3e6), "faster by 13.4 % (12.4 to 14.4)");
        assert_eq!(text("within.25ms", "1", "faster", Some(4.6), 0.675), "more by 67.5 points (67.4 to 67.6)");
        assert_eq!(text("throughput", "1/s", "slower", Some(0.9), -4.0), "less by 10.0 % (9.0 to 11.0)");
        assert_eq!(text("bytes.body", "B", "lighter", Some(0.18), -4_100.0), "lighter by 82.0 % (81.0 to 83.0)");
        assert_eq!(text("statuses.503", "1", "more", None, 0.25), "more by 25.0 points (24.9 to 25.1)");
        let ways =
            [("statuses.503", "more"), ("statuses.5xx", "less"), ("statuses.304", "more"), ("statuses.200", "less")];
        let ways = ways.map(|(metric, word)| way(&comparison(metric, "1", word, None, 0.25)));
        assert_eq!(ways, [Way::Worse, Way::Better, Way::Better, Way::Worse]);
        assert_eq!(text("weight.cpu redis", "ns", "heavier", None, 210_000.0), "heavier by 210.0 ± 9.0 µs");
        assert_eq!(
            text("latency.p99", "ns", "no measurable difference", Some(1.0), 0.0),
            "no measurable difference (−1.0 to +1.0 %)"
        );
        assert_eq!(
            text("latency.p99", "ns", "too few blocks", None, 0.0),
            "too few blocks to judge (−9.00 µs to +9.00 µs)"
        );
        assert_eq!(
            text("latency.p99", "ns", "unheard of", Some(2.0), 0.0),
            "too few blocks to judge (+99.0 to +101 %)"
        );
    }

    #[test]
    fn titles_read_as_on_the_terminal() {
        assert_eq!(title("cold.latency.p50"), "cold p50");
        assert_eq!(title("within.500us"), "within 500 µs");
        assert_eq!(title("within.2500ms"), "within 2.5 s");
        assert_eq!(title("within.soon"), "within soon");
        assert_eq!(title("throughput"), "throughput");
        assert_eq!((title("bytes.body"), title("statuses.304")), ("body bytes".into(), "status 304".into()));
        assert_eq!(title("weight.cpu www-data php-fpm8.2"), "weight cpu www-data php-fpm8.2");
    }
}
