use super::*;
use proptest::prelude::*;

fn text(kind: Kind, value: f64, margin: f64) -> String {
    Quantity { kind, value, margin }.to_string()
}

#[test]
fn digits_follow_the_margin() {
    assert_eq!(text(Kind::Time, 17_918_223.0, 214_000.0), "17.92 ± 0.21 ms");
    assert_eq!(text(Kind::Time, 17_918_223.0, 2_140_000.0), "17.9 ± 2.1 ms");
    assert_eq!(text(Kind::Time, 210_000.0, 9_000.0), "210.0 ± 9.0 µs");
    assert_eq!(text(Kind::Bytes, 1_234_567.0, 12_000.0), "1.235 ± 0.012 MB");
    assert_eq!(text(Kind::Count, 1_104.0, 3.0), "1,104.0 ± 3.0");
    assert_eq!(text(Kind::Count, 2.0, 0.0), "2 ± 0");
    assert_eq!(text(Kind::Count, -1_234.5, 60.0), "−1,234 ± 60");
    assert_eq!(text(Kind::Time, 0.0, 31_000.0), "0 ± 31 µs");
}

#[test]
fn plain_values_have_three_digits() {
    assert_eq!(plain(Kind::Time, 12_345.0), "12.3 µs");
    assert_eq!(plain(Kind::Count, 3.0), "3");
    assert_eq!(plain(Kind::Bytes, 0.0), "0 B");
    assert_eq!(plain(Kind::Time, 0.4), "0.400 ns");
}

#[test]
fn buckets_are_named_in_the_largest_unit_in_which_they_are_whole() {
    let names = [500, 50_000_000, 1_500_000_000, 2_000_000_000, 500_000, 1_500_000_001]
        .map(|ns| bucket_name(Duration::from_nanos(ns)));
    assert_eq!(names, ["500ns", "50ms", "1500ms", "2s", "500us", "1500000001ns"]);
    assert_eq!(bucket_text(Duration::from_micros(500)), "500 µs");
}

#[test]
fn what_is_no_number_is_a_dash() {
    assert_eq!(plain(Kind::Time, f64::NAN), "–");
    assert_eq!(plain(Kind::Count, f64::INFINITY), "–");
}

proptest! {
    #[test]
    fn any_number_can_be_written(value in -1e15_f64..1e15, margin in 0.0_f64..1e12) {
        for kind in [Kind::Time, Kind::Bytes, Kind::Count] {
            prop_assert!(!text(kind, value, margin).is_empty());
            prop_assert!(!plain(kind, value).is_empty());
        }
    }
}

#[test]
fn what_would_settle_it_says_so_once() {
    let unclear = |name: &str, seconds: Option<u64>| (name.to_owned(), seconds.map(Duration::from_secs));
    let said = settling([unclear("p50", Some(240)), unclear("p95", Some(67)), unclear("p99", None)]);
    let expected = "Unclear so far: p50 (about 4 min more would decide it), p95 (about 68 s more), p99";
    assert_eq!((said.as_deref(), settling([])), (Some(expected), None));
}
