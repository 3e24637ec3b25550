use std::time::Duration;

use super::*;

#[test]
fn a_bound_belongs_to_the_bucket_below() {
    for (index, &bound) in BOUNDS.iter().enumerate() {
        let histogram = Histogram::default();
        histogram.record(Duration::from_nanos(bound));
        histogram.record(Duration::from_nanos(bound + 1));
        let totals = histogram.totals();
        assert_eq!((totals.buckets[index], totals.buckets[index + 1]), (1, 1));
        assert_eq!((totals.count(), totals.sum_ns), (2, 2 * bound + 1));
    }
}

#[test]
fn the_shortest_and_the_longest_are_counted() {
    let histogram = Histogram::default();
    histogram.record(Duration::ZERO);
    histogram.record(Duration::MAX);
    let totals = histogram.totals();
    assert_eq!((totals.buckets[0], totals.buckets[BUCKETS - 1]), (1, 1));
}

#[test]
fn the_bounds_rise() {
    assert!(BOUNDS.is_sorted_by(|a, b| a < b));
}
