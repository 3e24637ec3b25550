use super::*;

const MS: u64 = 1_000_000;

#[test]
fn what_is_late_is_told_by_the_latencies_that_it_would_show_beside() {
    let late = |median, p99| unfit(Generated { median, lag: Some((p99, None)), ..Generated::default() });
    assert!(late(Some(100 * MS), 5 * MS).is_empty(), "5 % of the median");
    assert!(matches!(late(Some(100 * MS), 6 * MS)[..], [Unfit::Late { limit, .. }] if limit == 5 * MS));
    assert!(late(Some(MS), MS).is_empty() && late(None, MS).is_empty(), "a millisecond is never late");
    assert_eq!((late(Some(MS), 2 * MS).len(), late(None, 2 * MS).len()), (1, 1));
}

#[test]
fn a_thread_is_busy_only_in_a_load_that_tells() {
    let ms = Duration::from_millis;
    let busy = |worked, sending| unfit(Generated { worked, sending, ..Generated::default() });
    assert!(matches!(busy(ms(95), ms(100))[..], [Unfit::Busy { taken: None, .. }]));
    assert!(busy(ms(90), ms(90)).is_empty() && busy(ms(80), ms(100)).is_empty());
}
