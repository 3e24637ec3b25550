//! One comparison in words.

use unladen_document::{Change, Comparison, Metric, metric_title};
use unladen_quantity::{Span, percent, with_sign};

use crate::text::figure::share_text;
use crate::text::table::{faint, strong, warn};

/// `p50` for `latency.p50`, `within 50 ms` for `within.50ms`.
pub(crate) fn title(metric: &str) -> String {
    metric_title(metric, spaced)
}

/// `500 µs` for `500us`.
fn spaced(bound: &str) -> String {
    let unit = bound.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = bound.strip_suffix(unit).unwrap_or_default();
    format!("{number} {}", if unit == "us" { "µs" } else { unit })
}

/// The baseline's figure or the arm's.
pub(super) fn value(comparison: &Comparison, value: Option<f64>) -> String {
    comparison.value_text(value, share_text)
}

/// The margin of equality, in the words of the verdict: `, ±5 %`.
pub(super) fn margin(comparison: &Comparison) -> String {
    comparison.margin_text().map_or_else(String::new, |margin| format!(", {margin}"))
}

/// `faster by 13.4 % (12.1 to 14.6)`, `no measurable difference, ±5 %`.
pub(super) fn verdict(comparison: &Comparison, is_brief: bool) -> String {
    let words = comparison.verdict_word();
    let size = comparison.size_text();
    match comparison.change() {
        Change::Better => strong(&format!("{words} by {size}")),
        // Fewer answers with one status below 400 mean more with another, and neither is a fault.
        Change::Worse if comparison.kind() == Metric::Status => strong(&format!("{words} by {size}")),
        Change::Worse => warn(&format!("{words} by {size}")),
        // The interval is all that is known: it stays, however narrow the terminal.
        Change::Unclear => format!("{words}{}", comparison.ends_text("")),
        // An interval without zero would contradict "no difference" unless the floor is shown.
        Change::Equal if comparison.excludes_no_change() => {
            let floor = format!("; floor {}", comparison.floor_text());
            faint(&format!("{words}{}{}", margin(comparison), comparison.ends_text(&floor)))
        }
        Change::Equal if is_brief => faint(&format!("{words}{}", margin(comparison))),
        Change::Equal => faint(&format!("{words}{}{}", margin(comparison), comparison.ends_text(""))),
    }
}

/// `−62.0 ± 1.1 %`
pub(super) fn change(ratio: Span) -> String {
    let change = ratio.less_one();
    format!("{} ± {} %", with_sign(change.value), percent(change.margin()))
}

/// `62.0 % less (60.9 to 63.1)`
pub(super) fn amount(ratio: Span) -> String {
    let word = if ratio.value > 1.0 { "more" } else { "less" };
    let Span { value, low, high } = ratio.less_one().upward();
    format!("{} % {word} ({} to {})", percent(value), percent(low), percent(high))
}
