use unladen_document::{Answer, Arm, Change, Comparison, Metric, OpenSpan, ProveDocument};

use super::*;

fn arm(name: &str, role: &str) -> Arm {
    Arm { name: name.into(), roles: vec![role.into()], ..Arm::default() }
}

fn compared(metric: &str, change: Change) -> Comparison {
    let is_weight = metric.starts_with("weight.");
    Comparison {
        arm: "class map".into(),
        metric: metric.into(),
        group: is_weight.then(|| "php-fpm".into()),
        counter: is_weight.then(|| "cpu".into()),
        unit: "ns".into(),
        baseline: Some(30e6),
        candidate: Some(27e6),
        ratio: Some(0.9),
        low: Some(0.85),
        high: Some(0.95),
        difference: OpenSpan { value: -3e6, low: Some(-4e6), high: Some(-2e6) },
        margin: Some(0.02),
        on_path: is_weight.then_some(true),
        verdict: change.as_str(Metric::of(metric)).into(),
        ..Comparison::default()
    }
}

fn proof(comparisons: Vec<Comparison>) -> ProveDocument {
    let arms = vec![arm("baseline", "baseline"), arm("class map", "candidate")];
    ProveDocument { arms, comparisons, ..ProveDocument::default() }
}

fn judged(comparisons: Vec<Comparison>) -> Outcome {
    outcome(&proof(comparisons)).unwrap()
}

#[test]
fn something_less_and_nothing_more_is_kept() {
    let unclear = compared("latency.p50", Change::Unclear);
    let kept = judged(vec![unclear, compared("weight.cpu php-fpm", Change::Better)]);
    assert_eq!(kept, Outcome::Keep("CPU of php-fpm 30.0 ms → 27.0 ms, −10.0 % (−15.0 to −5.0)".into()));
}

#[test]
fn something_more_is_put_back_and_both_are_asked_about() {
    let slower = || compared("latency.p50", Change::Worse);
    assert!(matches!(judged(vec![slower()]), Outcome::PutBack(_)));
    let both = judged(vec![slower(), compared("weight.cpu php-fpm", Change::Better)]);
    assert!(matches!(both, Outcome::Ask(_)), "{both:?}");
    assert!(matches!(judged(vec![compared("latency.p50", Change::Unclear)]), Outcome::Ask(_)));
}

/// Its CPU made `--yes` undo what it had measured to be right.
#[test]
fn a_compressed_page_was_put_back_for_its_cpu() {
    let bytes = |ratio| Comparison { high: Some(ratio), ..compared("bytes.body", Change::Better) };
    let dearer = || compared("weight.cpu nginx", Change::Worse);
    assert!(matches!(judged(vec![bytes(0.2), dearer()]), Outcome::Keep(_)));
    assert!(matches!(judged(vec![bytes(0.9), dearer()]), Outcome::Ask(_)));
    assert!(matches!(judged(vec![bytes(0.2), dearer(), compared("latency.p50", Change::Worse)]), Outcome::Ask(_)));
}

#[test]
fn what_happens_elsewhere_decides_nothing() {
    let beside = Comparison { on_path: Some(false), ..compared("weight.cpu cron", Change::Worse) };
    let kept = judged(vec![beside, compared("weight.cpu php-fpm", Change::Better)]);
    assert!(matches!(kept, Outcome::Keep(_)), "{kept:?}");
}

#[test]
fn another_page_and_failed_requests_are_put_back() {
    let better = || vec![compared("weight.cpu php-fpm", Change::Better)];
    let mut other = proof(better());
    other.arms[1].answers = vec![Answer { doubts: vec!["the answer differs.".into()], ..Answer::default() }];
    assert_eq!(outcome(&other).unwrap(), Outcome::PutBack("the answer differs".into()));
    let mut failed = proof(better());
    failed.arms[1].errors = 2;
    assert!(matches!(outcome(&failed).unwrap(), Outcome::PutBack(_)));
}
