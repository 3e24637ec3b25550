use super::*;
use crate::tests::sample;

fn counted(title: &str, before: f64, after: f64) -> CountedChange {
    let span = |value| Span { value, low: value, high: value };
    CountedChange {
        arm: "candidate".into(),
        group: "php-fpm".into(),
        title: title.into(),
        baseline: span(before),
        candidate: span(after),
        is_changed: true,
        ..CountedChange::default()
    }
}

#[test]
fn counts_come_first_and_those_that_grow_decide_nothing() {
    let mut document = sample::class_map();
    document.counted = vec![counted("system calls", 1_500.0, 690.0), counted("files opened", 3.0, 4.0)];
    document.counted.insert(0, counted("file checks", 814.0, 0.0));
    let arm = document.changed_arm().unwrap().clone();
    let proof = Proof::of(&document, &arm);
    let fewer: Vec<String> = proof.fewer.iter().map(ToString::to_string).collect();
    assert_eq!(fewer, ["system calls 1,500 → 690, −54.0 %", "file checks 814 → 0, −100 %"]);
    assert!(proof.less[0].name.starts_with("CPU of "), "{proof:?}");
    assert!(proof.more.iter().all(|one| one.name != "files opened"), "{proof:?}");
}

#[test]
fn a_count_from_none_has_no_percentage() {
    assert_eq!(count_change(&counted("", 0.0, 2.0)), "+2");
    assert_eq!(count_change(&counted("", 2.0, 2_000.0)), "1,000 times as many");
    assert_eq!(count_change(&counted("", 2.0, 3.0)), "+50.0 %");
}
