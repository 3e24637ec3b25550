use unladen_lockin::Design;

use super::*;

fn count(value: f64, margin: f64) -> Row {
    Row { per_request: Interval { value, low: value - margin, high: value + margin }, ..Row::default() }
}

fn row(counter: &str, count: Row) -> Row {
    Row { group: "www-data php-fpm8.2".into(), counter: counter.into(), ..count }
}

/// The rows of two arms: title, before, after, whether that is a change.
fn told(baseline: Vec<Row>, changed: Vec<Row>) -> Vec<(String, f64, f64, bool)> {
    let arms = Design::Ab.arms(&["class map"]);
    let of = |rows| ArmCounts { rows, ..ArmCounts::default() };
    let changed = Some((Counts::changed_arm(&arms).unwrap(), of(changed)));
    let (rows, why) = Counts { baseline: Some(of(baseline)), changed, why: None }.told(&arms);
    assert_eq!(why, None);
    rows.into_iter().map(|row| (row.title, row.baseline.value, row.candidate.value, row.is_changed)).collect()
}

#[test]
fn a_count_has_changed_where_chance_does_not_explain_it_and_somebody_cares() {
    assert!(is_changed(&count(814.0, 0.2), &count(0.0, 0.0), 20));
    assert!(is_changed(&count(3.0, 0.0), &count(2.0, 0.0), 20));
    // As its interval is wide, as it is one of many rows, as it is next to nothing, as it is within the floor.
    assert!(!is_changed(&count(3.0, 0.8), &count(2.0, 0.9), 20));
    assert!(is_changed(&count(3.0, 0.2), &count(2.6, 0.0), 1));
    assert!(!is_changed(&count(3.0, 0.2), &count(2.7, 0.2), 200));
    assert!(!is_changed(&count(1_507.0, 0.1), &count(1_500.0, 0.1), 20));
    assert!(!is_changed(&count(5.0, 0.0), &count(5.0, 0.0), 20));
    assert!(!is_changed(&Row { noise_floor: 1.5, ..count(3.0, 0.0) }, &count(2.0, 0.0), 20));
}

#[test]
fn the_ratio_of_two_counts_has_an_interval() {
    let exact = ratio(count(814.0, 0.0).per_request, count(407.0, 0.0).per_request).unwrap();
    assert_eq!((exact.value, exact.low, exact.high), (0.5, 0.5, 0.5));
    let wide = ratio(count(800.0, 80.0).per_request, count(400.0, 0.0).per_request).unwrap();
    assert!((wide.high - 0.55).abs() < 1e-9 && (wide.low - 0.45).abs() < 1e-9, "{wide:?}");
    assert!(ratio(count(0.1, 0.2).per_request, count(400.0, 0.0).per_request).is_none());
}

/// A count that other work hid in one arm was none there, and 100 % were said to be saved.
#[test]
fn a_count_that_is_not_told_from_none_is_not_none() {
    let rows = told(vec![row("files.checked", count(800.0, 50.0))], vec![row("files.checked", count(700.0, 900.0))]);
    assert_eq!(rows, [("file checks".to_owned(), 800.0, 700.0, false)]);
}

/// Events that are lost in one arm are no saving.
#[test]
fn lost_events_and_other_sources_leave_out_what_they_spoil() {
    let arms = Design::Ab.arms(&["class map"]);
    let counts = |lost, sources: &[EvidenceSource]| {
        let rows = vec![row("files.checked", count(800.0 - lost as f64, 0.0)), row("syscalls", count(900.0, 0.0))];
        ArmCounts { rows, sources: sources.iter().copied().collect(), lost }
    };
    let told = |changed| {
        let changed = Some((Counts::changed_arm(&arms).unwrap(), changed));
        Counts { baseline: Some(counts(0, &[EvidenceSource::Syscalls])), changed, why: None }.told(&arms)
    };
    let (rows, why) = told(counts(300, &[EvidenceSource::Syscalls]));
    assert_eq!(rows.iter().map(|row| row.title.as_str()).collect::<Vec<_>>(), ["system calls"]);
    assert!(why.unwrap().contains("300 events were lost"));
    let (rows, why) = told(counts(0, &[]));
    assert!(rows.is_empty() && why.is_some());
}

#[test]
fn a_counter_that_one_arm_lacks_is_none_there() {
    let rows = told(
        vec![row("files.checked", count(814.0, 0.0)), row("syscalls", count(1_500.0, 0.0))],
        vec![row("syscalls", count(1_500.0, 0.0)), row("files.opened", count(1.0, 0.0))],
    );
    let expected = [
        ("file checks", 814.0, 0.0, true),
        ("system calls", 1_500.0, 1_500.0, false),
        ("files opened", 0.0, 1.0, true),
    ];
    assert_eq!(rows, expected.map(|(title, before, after, told)| (title.to_owned(), before, after, told)));
}

#[test]
fn what_was_counted_in_one_arm_alone_is_compared_with_nothing() {
    let counts = Counts { baseline: Some(ArmCounts::default()), ..Counts::none("tracing needs root") };
    assert_eq!(counts.told(&[]), (Vec::new(), Some("tracing needs root".to_owned())));
}
