//! [`gates`]: judges the result of an experiment by the conditions that fail it.

use unladen_document::{Arm, Comparison, Gate, Metric};
use unladen_report::Span;

use crate::condition::{BoundUnit, Condition};

/// Judges every other arm that has the metric by each condition.
///
/// An arm is broken only if the whole interval lies beyond the bound: what may be chance fails nothing, and the gate
/// says so. The comparison's verdict, which is about any difference, plays no role.
pub(crate) fn gates(conditions: &[Condition], comparisons: &[Comparison], arms: &[Arm]) -> Vec<Gate> {
    conditions.iter().flat_map(|condition| of_condition(condition, comparisons, arms)).collect()
}

fn of_condition(condition: &Condition, comparisons: &[Comparison], arms: &[Arm]) -> Vec<Gate> {
    if condition.metric == "errors" {
        return arms.iter().map(|arm| of_errors(condition, arm)).collect();
    }
    let of_metric = comparisons.iter().filter(|comparison| comparison.metric == condition.metric);
    of_metric.filter_map(|comparison| of_comparison(condition, comparison)).collect()
}

/// Failed requests are counted, not estimated; failures of the baseline spoil a comparison, too.
fn of_errors(condition: &Condition, arm: &Arm) -> Gate {
    let all = arm.requests + arm.errors;
    let share = arm.errors as f64 / all.max(1) as f64;
    let figure = if condition.bound.unit == BoundUnit::Share { share } else { arm.errors as f64 };
    Gate {
        condition: condition.to_string(),
        arm: arm.name.clone(),
        url: String::new(),
        broken: condition.is_beyond(figure),
        untold: false,
        found: format!("{} of {all} requests failed", arm.errors),
    }
}

/// `None` if the bound's unit is not the metric's: the condition then counts as unjudged, like one on a missing metric.
fn of_comparison(condition: &Condition, comparison: &Comparison) -> Option<Gate> {
    let bound = condition.bound;
    let kind = comparison.kind();
    let unit = (kind == Metric::Weight).then_some(comparison.unit.as_str());
    let is_share = kind.is_share();
    let (difference, own) = (Some(comparison.difference_span()), comparison.own_span());
    let (decimals, unit_name) = if kind == Metric::Bytes { (0, " B") } else { (2, "") };
    let (span, scale, decimals, name) = match (bound.unit, bound.is_change) {
        (BoundUnit::Share, false) => (own, 100.0, 1, " %"),
        // The change of a share of requests is in points: 99 % to 98 % is one.
        (BoundUnit::Share, true) if is_share => (difference, 100.0, 1, " points"),
        (BoundUnit::Share, true) => (comparison.ratio_span().map(Span::less_one), 100.0, 1, " %"),
        (BoundUnit::Time, _) if unit.is_some_and(|unit| unit != "ns") => return None,
        (BoundUnit::Number, _) if unit == Some("ns") => return None,
        (BoundUnit::Time, true) => (difference, 1e-6, 2, " ms"),
        (BoundUnit::Time, false) => (own, 1e-6, 2, " ms"),
        (BoundUnit::Number, true) => (difference, 1.0, decimals, unit_name),
        (BoundUnit::Number, false) => (own, 1.0, decimals, unit_name),
    };
    // As in tables: a minus as wide as a plus, and the unit once.
    let number = |value: f64| {
        let text = if bound.is_change {
            format!("{:+.decimals$}", value * scale)
        } else {
            format!("{:.decimals$}", value * scale)
        };
        text.replace('-', "−")
    };
    let is_beyond = |value: f64| condition.is_beyond(value);
    let (broken, untold, found) = match span {
        Some(span) => (
            is_beyond(span.low) && is_beyond(span.high),
            is_beyond(span.low) != is_beyond(span.high),
            format!("{}{name} ({} to {})", number(span.value), number(span.low), number(span.high)),
        ),
        None => (false, true, no_ratio(comparison)),
    };
    let (condition, arm) = (condition.to_string(), comparison.arm.clone());
    Some(Gate { condition, arm, url: String::new(), broken, untold, found })
}

fn no_ratio(comparison: &Comparison) -> String {
    let Span { low, high, .. } = comparison.difference_span();
    let told = if low > 0.0 || high < 0.0 { "; there is a difference, which needs a bound without %" } else { "" };
    format!("no ratio: one of the two is not distinguishable from zero{told}")
}

pub(crate) fn failed_requests(arms: &[Arm]) -> Option<(&Arm, u64)> {
    let first = arms.iter().find(|arm| arm.errors > 0)?;
    let is_again = |arm: &&Arm| arm.has("baseline again");
    // Readers know the baseline's name; that of its second arm is ours.
    let shown = arms.iter().filter(|arm| !is_again(arm)).find(|arm| arm.errors > 0).unwrap_or(first);
    Some((shown, arms.iter().map(|arm| arm.errors).sum()))
}

#[cfg(test)]
mod tests;
