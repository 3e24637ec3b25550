//! [`gates`]: holds the result of an experiment against the conditions that fail it.

use unladen_lockin::Role;
use unladen_report::{ArmResult, Comparison, Gate, Metric, Span};

use crate::condition::{BoundUnit, Condition};

/// Holds each condition against every arm but the baseline's that has the metric.
///
/// An arm is broken only if the whole interval lies beyond the bound: what cannot be told from chance fails nothing,
/// and is told to be so. Nothing depends on the comparison's verdict, which is about a bound of none.
pub(crate) fn gates(conditions: &[Condition], comparisons: &[Comparison], arms: &[ArmResult]) -> Vec<Gate> {
    conditions.iter().flat_map(|condition| of_condition(condition, comparisons, arms)).collect()
}

fn of_condition(condition: &Condition, comparisons: &[Comparison], arms: &[ArmResult]) -> Vec<Gate> {
    if condition.metric == "errors" {
        return arms.iter().map(|arm| of_errors(condition, arm)).collect();
    }
    let of_metric = comparisons.iter().filter(|comparison| comparison.metric == condition.metric);
    of_metric.filter_map(|comparison| of_comparison(condition, comparison)).collect()
}

/// Failed requests are counted, not estimated; those of the baseline make a comparison worth nothing, too.
fn of_errors(condition: &Condition, arm: &ArmResult) -> Gate {
    let all = arm.requests + arm.errors;
    let share = arm.errors as f64 / all.max(1) as f64;
    let figure = if condition.bound.unit == BoundUnit::Share { share } else { arm.errors as f64 };
    Gate {
        condition: condition.to_string(),
        arm: arm.name.clone(),
        broken: condition.is_beyond(figure),
        untold: false,
        found: format!("{} of {all} requests failed", arm.errors),
    }
}

/// None where the bound's unit is not the metric's: then nobody has looked, and that is told as of any metric that is
/// not there.
fn of_comparison(condition: &Condition, comparison: &Comparison) -> Option<Gate> {
    let bound = condition.bound;
    let unit = comparison.weight.as_ref().map(|weight| weight.unit);
    let is_share = comparison.kind.is_share();
    let (decimals, unit_name) = if comparison.kind == Metric::Bytes { (0, " B") } else { (2, "") };
    let (span, scale, decimals, name) = match (bound.unit, bound.is_change) {
        (BoundUnit::Share, false) => (comparison.absolute, 100.0, 1, " %"),
        // Of a share of requests the change is in points: 99 % to 98 % is one.
        (BoundUnit::Share, true) if is_share => (Some(comparison.difference), 100.0, 1, " points"),
        (BoundUnit::Share, true) => (comparison.ratio.map(|ratio| around(ratio, 1.0)), 100.0, 1, " %"),
        (BoundUnit::Time, _) if unit.is_some_and(|unit| unit != "ns") => return None,
        (BoundUnit::Number, _) if unit == Some("ns") => return None,
        (BoundUnit::Time, true) => (Some(comparison.difference), 1e-6, 2, " ms"),
        (BoundUnit::Time, false) => (comparison.absolute, 1e-6, 2, " ms"),
        (BoundUnit::Number, true) => (Some(comparison.difference), 1.0, decimals, unit_name),
        (BoundUnit::Number, false) => (comparison.absolute, 1.0, decimals, unit_name),
    };
    // As the tables write it: a minus that is as wide as a plus, and the unit once.
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
    Some(Gate { condition: condition.to_string(), arm: comparison.arm.clone(), broken, untold, found })
}

/// Why there is no ratio.
fn no_ratio(comparison: &Comparison) -> String {
    let Span { low, high, .. } = comparison.difference;
    let told = if low > 0.0 || high < 0.0 { "; the difference is told, and has a bound without %" } else { "" };
    format!("no ratio: one of the two cannot be told from nothing{told}")
}

fn around(span: Span, center: f64) -> Span {
    Span { value: span.value - center, low: span.low - center, high: span.high - center }
}

/// Failed requests of an experiment, and the first arm that has some.
pub(crate) fn failed_requests(arms: &[ArmResult]) -> Option<(&ArmResult, u64)> {
    let first = arms.iter().find(|arm| arm.errors > 0)?;
    let is_again = |arm: &&ArmResult| arm.roles.contains(&Role::BaselineAgain);
    // The baseline's name is known to who reads it; that of its second arm is ours.
    let shown = arms.iter().filter(|arm| !is_again(arm)).find(|arm| arm.errors > 0).unwrap_or(first);
    Some((shown, arms.iter().map(|arm| arm.errors).sum()))
}

#[cfg(test)]
mod tests {
    use unladen_report::Change;

    use super::*;

    fn comparison(metric: &str, kind: Metric, low: f64, high: f64) -> Comparison {
        let value = f64::midpoint(low, high);
        let of = |factor: f64| 20e6 * factor;
        Comparison {
            arm: "candidate".into(),
            metric: metric.into(),
            kind,
            weight: None,
            baseline: 20e6,
            candidate: of(value),
            absolute: Some(Span { value: of(value), low: of(low), high: of(high) }),
            ratio: Some(Span { value, low, high }),
            difference: Span { value: of(value - 1.0), low: of(low - 1.0), high: of(high - 1.0) },
            floor: 0.01,
            margin: None,
            settled_after: None,
            on_path: None,
            adjusted_p: 0.5,
            verdict: Change::Unclear,
        }
    }

    fn gate(condition: &str, low: f64, high: f64) -> Gate {
        let condition: Condition = condition.parse().unwrap();
        gates(&[condition], &[comparison("latency.p95", Metric::Latency, low, high)], &[]).remove(0)
    }

    fn is_broken(condition: &str, low: f64, high: f64) -> bool {
        gate(condition, low, high).broken
    }

    #[test]
    fn only_what_is_certain_fails() {
        assert!(is_broken("p95 > +5%", 1.06, 1.10));
        assert!(!is_broken("p95 > +5%", 1.04, 1.10), "it may be 4 %");
        assert!(!is_broken("p95>+5%", 0.80, 0.90));
        assert!(is_broken("latency.p95 < -5%", 0.80, 0.90));
        assert!(is_broken("p95 > +1ms", 1.06, 1.10), "1.2 ms to 2 ms");
    }

    /// Without a sign `5ms` was `+5ms`: a p95 of 20 ms passed.
    #[test]
    fn a_bound_without_a_sign_is_held_against_the_figure_itself() {
        assert!(is_broken("p95 > 5ms", 0.99, 1.01));
        assert!(!is_broken("p95 > +5ms", 0.99, 1.01));
        assert!(!is_broken("p95 > 25ms", 0.99, 1.01));
        assert_eq!(gate("p95 > 5ms", 0.9, 1.1).found, "20.00 ms (18.00 to 22.00)");
    }

    #[test]
    fn what_cannot_be_told_passes_and_is_said() {
        let untold = gate("p95 > +5%", 1.04, 1.10);
        assert!(untold.untold && !untold.broken, "{untold:?}");
        assert!(!gate("p95 > +5%", 1.06, 1.10).untold && !gate("p95 > +5%", 0.9, 1.0).untold);
    }

    /// A share has no ratio, and so `within.50ms < -1%` could not be broken by anything.
    #[test]
    fn a_share_within_a_time_changes_by_points() {
        let mut within = comparison("within.50ms", Metric::Within, 0.9, 0.95);
        (within.ratio, within.absolute) = (None, Some(Span { value: 0.93, low: 0.92, high: 0.94 }));
        within.difference = Span { value: -0.05, low: -0.06, high: -0.04 };
        let broken = |condition: &str| gates(&[condition.parse().unwrap()], &[within.clone()], &[]).remove(0);
        assert!(broken("within.50ms < -1%").broken);
        assert!(!broken("within.50ms < -10%").broken);
        assert!(broken("within.50ms < 95%").broken && !broken("within.50ms < 90%").broken);
        assert_eq!(broken("within.50ms < -1%").found, "−5.0 points (−6.0 to −4.0)");
    }

    #[test]
    fn a_bound_in_another_unit_than_the_counters_is_not_judged() {
        use unladen_report::{Kind, WeightMetric};
        let mut weight = comparison("weight.read_calls www", Metric::Weight, 1.2, 1.3);
        weight.weight = Some(WeightMetric {
            group: "www".into(),
            counter: "connects",
            title: "connections",
            unit: "1",
            kind: Kind::Count,
            approximate: false,
        });
        let judged = |condition: &str| gates(&[condition.parse().unwrap()], &[weight.clone()], &[]).len();
        assert_eq!(judged("weight.read_calls www > +3ms"), 0);
        assert_eq!(judged("weight.read_calls www > +3"), 1);
    }

    #[test]
    fn bytes_and_statuses_have_bounds() {
        let mut bytes = comparison("bytes.body", Metric::Bytes, 0.18, 0.18);
        bytes.absolute = Some(Span { value: 900.0, low: 900.0, high: 900.0 });
        bytes.difference = Span { value: -4_100.0, low: -4_100.0, high: -4_100.0 };
        let judged = |condition: &str| gates(&[condition.parse().unwrap()], &[bytes.clone()], &[]).remove(0);
        assert!(judged("bytes.body < -50%").broken && !judged("bytes.body > +5%").broken);
        assert!(judged("bytes.body < 1kB").broken && !judged("bytes.body > 900").broken);
        assert_eq!(judged("bytes.body > +1").found, "−4100 B (−4100 to −4100)");
        let mut status = comparison("statuses.304", Metric::Status, 0.0, 0.0);
        (status.ratio, status.absolute) = (None, Some(Span { value: 1.0, low: 1.0, high: 1.0 }));
        status.difference = Span { value: 1.0, low: 1.0, high: 1.0 };
        let judged = |condition: &str| gates(&[condition.parse().unwrap()], &[status.clone()], &[]).remove(0);
        assert!(judged("statuses.304 > +1%").broken && !judged("statuses.304 < 99%").broken);
        assert_eq!(judged("statuses.304 > +1%").found, "+100.0 points (+100.0 to +100.0)");
    }

    #[test]
    fn what_was_found_reads_as_in_the_tables() {
        assert_eq!(gate("p95 > +5%", 0.95, 1.01).found, "−2.0 % (−5.0 to +1.0)");
        assert_eq!(gate("p95 > +1ms", 0.95, 1.01).found, "−0.40 ms (−1.00 to +0.20)");
    }
}
