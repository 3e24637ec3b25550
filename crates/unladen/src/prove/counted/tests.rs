use unladen_lockin::Design;

use super::*;

fn count(value: f64, margin: f64) -> Interval {
    Interval { value, low: value - margin, high: value + margin }
}

#[test]
fn a_count_has_changed_where_chance_does_not_explain_it_and_somebody_cares() {
    assert!(is_changed(count(814.0, 0.2), count(0.0, 0.0), 20));
    assert!(is_changed(count(3.0, 0.0), count(2.0, 0.0), 20));
    // As its interval is wide, as it is one of many rows, as it is next to nothing.
    assert!(!is_changed(count(3.0, 0.8), count(2.0, 0.9), 20));
    assert!(is_changed(count(3.0, 0.2), count(2.6, 0.0), 1));
    assert!(!is_changed(count(3.0, 0.2), count(2.7, 0.2), 200));
    assert!(!is_changed(count(1_507.0, 0.1), count(1_500.0, 0.1), 20));
    assert!(!is_changed(count(5.0, 0.0), count(5.0, 0.0), 20));
}

#[test]
fn a_counter_that_one_arm_lacks_is_none_there() {
    let row = |counter: &str, value: f64| Row {
        group: "www-data php-fpm8.2".into(),
        counter: counter.into(),
        per_request: count(value, 0.0),
    };
    let arms = Design::Ab.arms(&["class map"]);
    let changed = Counts::changed_arm(&arms).unwrap();
    let counts = Counts {
        baseline: Some(vec![row("files.checked", 814.0), row("syscalls", 1_500.0)]),
        changed: Some((changed, vec![row("syscalls", 1_500.0), row("files.opened", 1.0)])),
        why: None,
    };
    let (rows, why) = counts.told(&arms);
    let told: Vec<(&str, f64, f64, bool)> =
        rows.iter().map(|row| (row.title.as_str(), row.baseline.value, row.candidate.value, row.is_changed)).collect();
    let expected = [
        ("file checks", 814.0, 0.0, true),
        ("system calls", 1_500.0, 1_500.0, false),
        ("files opened", 0.0, 1.0, true),
    ];
    assert_eq!((told.as_slice(), why), (expected.as_slice(), None));
}

#[test]
fn what_was_counted_in_one_arm_alone_is_compared_with_nothing() {
    let counts = Counts { baseline: Some(Vec::new()), ..Counts::none("tracing needs root") };
    assert_eq!(counts.told(&[]), (Vec::new(), Some("tracing needs root".to_owned())));
}
