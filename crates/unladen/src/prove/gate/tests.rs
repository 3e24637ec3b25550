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
