use unladen_document::Span;

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
        ratio: (before > 0.0).then(|| span(after / before)),
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
    assert_eq!(counted("", 0.0, 2.0).change_text(), "+2");
    assert_eq!(counted("", 2.0, 2_000.0).change_text(), "1,000 times as many");
    assert_eq!(counted("", 2.0, 3.0).change_text(), "+50.0 %");
    let sharp = Span { value: 0.5, low: 0.499, high: 0.501 };
    let sharp = CountedChange { ratio: Some(sharp), ..counted("", 2.0, 1.0) };
    assert_eq!(sharp.change_text(), "−50.0 %");
    let margin = |value: f64, margin| Span { value, low: value - margin, high: value + margin };
    let inexact =
        CountedChange { baseline: margin(1_487.0, 12.4), candidate: margin(0.25, 0.04), ..counted("", 2.0, 1.0) };
    assert_eq!(inexact.values(), ["1,487 ± 12", "0.25 ± 0.04"]);
    let wide = Span { value: 0.5, low: 0.45, high: 0.55 };
    let wide = CountedChange { ratio: Some(wide), ..counted("", 2.0, 1.0) };
    assert_eq!(wide.change_text(), "−50.0 % (−55.0 to −45.0)");
}

/// "No measurable difference" was said where nothing that decides had been compared.
#[test]
fn what_was_not_compared_shows_no_difference() {
    let mut document = sample::class_map();
    document.comparisons.retain(|one| one.kind() == Metric::Within);
    let arm = document.changed_arm().unwrap().clone();
    assert!(Proof::of(&document, &arm).is_nothing);
    assert!(!Proof::of(&sample::class_map(), &arm).is_nothing);
}
