//! A comparison of an experiment in words. The principal function is [`verdict`].

use unladen_document::{Change, Comparison, metric_title};
use unladen_quantity::{Span, UNKNOWN, bucket, bucket_text};

use crate::figures;

/// `p50` for `latency.p50`, `within 50 ms` for `within.50ms`.
pub(crate) fn title(metric: &str) -> String {
    metric_title(metric, bound_text)
}

/// `500 µs` for `500us`, `2.5 s` for `2500ms`; other text unchanged.
pub(crate) fn bound_text(bound: &str) -> String {
    bucket(bound).map_or_else(|| bound.to_owned(), bucket_text)
}

pub(crate) fn value(comparison: &Comparison, value: Option<f64>) -> String {
    comparison.value_text(value, figures::share_text)
}

/// The noise floor, in the words of the verdict.
pub(crate) fn floor(comparison: &Comparison) -> String {
    comparison.floor.map_or_else(|| UNKNOWN.to_owned(), |_| comparison.floor_text())
}

/// Margin of equality, in the words of the verdict: ` within ±5 %`.
pub(crate) fn margin(comparison: &Comparison) -> String {
    comparison.margin_text().map_or_else(String::new, |margin| format!(" within {margin}"))
}

/// `faster by 13.4 % (12.1 to 14.6)`, `no measurable difference within ±5 % (−0.9 to +0.4 %)`.
pub(crate) fn verdict(comparison: &Comparison) -> String {
    let word = comparison.verdict_word();
    match comparison.change() {
        Change::Better | Change::Worse => format!("{word} by {}", comparison.size_text()),
        Change::Unclear => format!("{word}{}", both(comparison)),
        Change::Equal => format!("{word}{}{}", margin(comparison), both(comparison)),
    }
}

/// ` (−0.9 to +0.4 %)`: both directions remain possible. Empty if nothing is known in the unit.
fn both(comparison: &Comparison) -> String {
    let Span { low, high, .. } = comparison.difference_span();
    let is_known = low.is_finite() && high.is_finite();
    let is_relative = comparison.kind().is_share() || comparison.ratio_span().is_some();
    if is_relative || is_known { comparison.ends_text("") } else { String::new() }
}

#[cfg(test)]
mod tests;
