use unladen_document::{Change, OpenSpan};

use super::*;

fn comparison(metric: &str, low: f64, high: f64) -> Comparison {
    let value = f64::midpoint(low, high);
    let of = |factor: f64| 20e6 * factor;
    Comparison {
        arm: "candidate".into(),
        metric: metric.into(),
        baseline: Some(20e6),
        candidate: Some(of(value)),
        candidate_low: Some(of(low)),
        candidate_high: Some(of(high)),
        ratio: Some(value),
        low: Some(low),
        high: Some(high),
        difference: span(of(value - 1.0), of(low - 1.0), of(high - 1.0)),
        floor: Some(0.01),
        adjusted_p: 0.5,
        verdict: Change::Unclear.as_str(Metric::of(metric)).to_owned(),
        ..Comparison::default()
    }
}

fn span(value: f64, low: f64, high: f64) -> OpenSpan {
    OpenSpan { value, low: Some(low), high: Some(high) }
}

/// The arm's own figure.
fn own(comparison: &mut Comparison, value: f64, low: f64, high: f64) {
    (comparison.candidate, comparison.candidate_low, comparison.candidate_high) = (Some(value), Some(low), Some(high));
}

fn gate(condition: &str, low: f64, high: f64) -> Gate {
    let condition: Condition = condition.parse().unwrap();
    gates(&[condition], &[comparison("latency.p95", low, high)], &[]).remove(0)
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
    let mut within = comparison("within.50ms", 0.9, 0.95);
    (within.ratio, within.difference) = (None, span(-0.05, -0.06, -0.04));
    own(&mut within, 0.93, 0.92, 0.94);
    let broken = |condition: &str| gates(&[condition.parse().unwrap()], &[within.clone()], &[]).remove(0);
    assert!(broken("within.50ms < -1%").broken);
    assert!(!broken("within.50ms < -10%").broken);
    assert!(broken("within.50ms < 95%").broken && !broken("within.50ms < 90%").broken);
    assert_eq!(broken("within.50ms < -1%").found, "−5.0 points (−6.0 to −4.0)");
}

#[test]
fn a_bound_in_another_unit_than_the_counters_is_not_judged() {
    let mut weight = comparison("weight.read_calls www", 1.2, 1.3);
    (weight.group, weight.counter, weight.unit) = (Some("www".into()), Some("connects".into()), "1".into());
    let judged = |condition: &str| gates(&[condition.parse().unwrap()], &[weight.clone()], &[]).len();
    assert_eq!(judged("weight.read_calls www > +3ms"), 0);
    assert_eq!(judged("weight.read_calls www > +3"), 1);
}

#[test]
fn bytes_and_statuses_have_bounds() {
    let mut bytes = comparison("bytes.body", 0.18, 0.18);
    own(&mut bytes, 900.0, 900.0, 900.0);
    bytes.difference = span(-4_100.0, -4_100.0, -4_100.0);
    let judged = |condition: &str| gates(&[condition.parse().unwrap()], &[bytes.clone()], &[]).remove(0);
    assert!(judged("bytes.body < -50%").broken && !judged("bytes.body > +5%").broken);
    assert!(judged("bytes.body < 1kB").broken && !judged("bytes.body > 900").broken);
    assert_eq!(judged("bytes.body > +1").found, "−4100 B (−4100 to −4100)");
    let mut status = comparison("statuses.304", 0.0, 0.0);
    (status.ratio, status.difference) = (None, span(1.0, 1.0, 1.0));
    own(&mut status, 1.0, 1.0, 1.0);
    let judged = |condition: &str| gates(&[condition.parse().unwrap()], &[status.clone()], &[]).remove(0);
    assert!(judged("statuses.304 > +1%").broken && !judged("statuses.304 < 99%").broken);
    assert_eq!(judged("statuses.304 > +1%").found, "+100.0 points (+100.0 to +100.0)");
}

#[test]
fn what_was_found_reads_as_in_the_tables() {
    assert_eq!(gate("p95 > +5%", 0.95, 1.01).found, "−2.0 % (−5.0 to +1.0)");
    assert_eq!(gate("p95 > +1ms", 0.95, 1.01).found, "−0.40 ms (−1.00 to +0.20)");
}
