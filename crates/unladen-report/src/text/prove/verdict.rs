//! One comparison in words.

use unladen_document::{Change, Comparison, Metric};
use unladen_quantity::{Kind, Quantity, Span, percent, plain, short, with_sign};

use crate::text::figure::share_text;
use crate::text::table::{faint, strong, warn};

/// `p50` for `latency.p50`, `cold p50` for `cold.latency.p50`, `within 50 ms` for `within.50ms`, `body bytes` for
/// `bytes.body`, `status 304` for `statuses.304`.
pub(crate) fn title(metric: &str) -> String {
    let (cold, rest) = metric.strip_prefix("cold.").map_or(("", metric), |rest| ("cold ", rest));
    match rest.split_once('.') {
        Some(("latency", name)) => format!("{cold}{name}"),
        Some(("within", bound)) => format!("{cold}within {}", spaced(bound)),
        Some(("bytes", of)) => format!("{of} bytes"),
        Some(("statuses", status)) => format!("status {status}"),
        Some((kind, name)) => format!("{cold}{kind} {name}"),
        None => format!("{cold}{rest}"),
    }
}

/// `500 µs` for `500us`.
fn spaced(bound: &str) -> String {
    let unit = bound.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = bound.strip_suffix(unit).unwrap_or_default();
    format!("{number} {}", if unit == "us" { "µs" } else { unit })
}

/// The baseline's figure or the arm's.
pub(super) fn value(comparison: &Comparison, value: Option<f64>) -> String {
    let value = value.unwrap_or(f64::NAN);
    match comparison.kind() {
        Metric::Latency => plain(Kind::Time, value),
        Metric::Within | Metric::Status | Metric::ErrorStatus => share_text(value),
        Metric::Bytes => plain(Kind::Bytes, value),
        Metric::Throughput => format!("{}/s", plain(Kind::Count, value)),
        Metric::Weight => plain(kind(comparison), value),
    }
}

/// Number format of the metric.
pub(super) fn kind(comparison: &Comparison) -> Kind {
    match comparison.kind() {
        Metric::Latency => Kind::Time,
        Metric::Within | Metric::Status | Metric::ErrorStatus | Metric::Throughput => Kind::Count,
        Metric::Bytes => Kind::Bytes,
        Metric::Weight => Kind::of_unit(&comparison.unit),
    }
}

/// The noise floor, in the words of the verdict.
pub(super) fn floor(comparison: &Comparison) -> String {
    let floor = comparison.floor.unwrap_or(f64::NAN);
    match (comparison.kind(), comparison.ratio_span()) {
        (kind, Some(_)) if kind.is_share() => points(floor * comparison.baseline.unwrap_or(f64::NAN)),
        (kind, None) if kind.is_share() => points(floor),
        (_, Some(_)) => format!("{} %", percent(floor)),
        (_, None) => plain(kind(comparison), floor),
    }
}

/// The margin of equality, in the words of the verdict: `, ±5 %`.
pub(super) fn margin(comparison: &Comparison) -> String {
    let Some(margin) = comparison.margin() else { return String::new() };
    let text = match (comparison.kind(), comparison.ratio_span()) {
        (kind, _) if kind.is_share() => format!("{} points", short(Kind::Count, 100.0 * margin)),
        (_, Some(_)) => format!("{} %", short(Kind::Count, 100.0 * margin)),
        (_, None) => plain(kind(comparison), margin),
    };
    format!(", ±{text}")
}

/// `faster by 13.4 % (12.1 to 14.6)`, `no measurable difference, ±5 %`.
pub(super) fn verdict(comparison: &Comparison, is_brief: bool) -> String {
    let words = match (comparison.change(), comparison.kind()) {
        (Change::Better, Metric::Within | Metric::Throughput) => "more",
        (Change::Worse, Metric::Within | Metric::Throughput) => "less",
        (change, metric) => change.as_str(metric),
    };
    let size = size(comparison);
    match comparison.change() {
        Change::Better => strong(&format!("{words} by {size}")),
        // Fewer answers with one status below 400 mean more with another, and neither is a fault.
        Change::Worse if comparison.kind() == Metric::Status => strong(&format!("{words} by {size}")),
        Change::Worse => warn(&format!("{words} by {size}")),
        // The interval is all that is known: it stays, however narrow the terminal.
        Change::Unclear => format!("{words}{}", signed(comparison, None)),
        // An interval without zero would contradict "no difference" unless the floor is shown.
        Change::Equal if comparison.excludes_no_change() => {
            faint(&format!("{words}{}{}", margin(comparison), signed(comparison, Some(floor(comparison)))))
        }
        Change::Equal if is_brief => faint(&format!("{words}{}", margin(comparison))),
        Change::Equal => faint(&format!("{words}{}{}", margin(comparison), signed(comparison, None))),
    }
}

/// `13.4 % (12.1 to 14.6)`, from the side of the change.
fn size(comparison: &Comparison) -> String {
    match (comparison.kind(), comparison.ratio_span()) {
        (kind, _) if kind.is_share() => {
            let Span { value, low, high } = upward(comparison.difference_span());
            format!("{} ({} to {})", points(value), percent(low), percent(high))
        }
        (_, Some(ratio)) => {
            let Span { value, low, high } = upward(ratio.less_one());
            format!("{} % ({} to {})", percent(value), percent(low), percent(high))
        }
        (_, None) => {
            let difference = upward(comparison.difference_span());
            Quantity { kind: kind(comparison), value: difference.value, margin: difference.margin() }.to_string()
        }
    }
}

/// ` (−0.9 to +0.4 %)`: both directions remain possible. With the floor, ` (+0.1 to +0.4 %; floor 1.1 %)`.
fn signed(comparison: &Comparison, floor: Option<String>) -> String {
    let floor = floor.map_or(String::new(), |floor| format!("; floor {floor}"));
    let (Span { low, high, .. }, unit) = match (comparison.kind(), comparison.ratio_span()) {
        (kind, _) if kind.is_share() => (comparison.difference_span(), "points"),
        (_, Some(ratio)) => (ratio.less_one(), "%"),
        (_, None) => {
            let Span { low, high, .. } = comparison.difference_span();
            let [low, high] = [low, high].map(|end| {
                let sign = if end < 0.0 { "−" } else { "+" };
                format!("{sign}{}", plain(kind(comparison), end.abs()))
            });
            return format!(" ({low} to {high}{floor})");
        }
    };
    format!(" ({} to {} {unit}{floor})", with_sign(low), with_sign(high))
}

/// `−62.0 ± 1.1 %`
pub(super) fn change(ratio: Span) -> String {
    let change = ratio.less_one();
    format!("{} ± {} %", with_sign(change.value), percent(change.margin()))
}

/// `62.0 % less (60.9 to 63.1)`
pub(super) fn amount(ratio: Span) -> String {
    let word = if ratio.value > 1.0 { "more" } else { "less" };
    let Span { value, low, high } = upward(ratio.less_one());
    format!("{} % {word} ({} to {})", percent(value), percent(low), percent(high))
}

/// Flips the sign so that the value is positive.
fn upward(span: Span) -> Span {
    if span.value < 0.0 { Span { value: -span.value, low: -span.high, high: -span.low } } else { span }
}

fn points(share: f64) -> String {
    format!("{} points", percent(share))
}
