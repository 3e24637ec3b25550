use super::*;

fn of(value: f64, margin: f64) -> String {
    count(Interval { value, low: value - margin, high: value + margin })
}

#[test]
fn digits_as_the_interval_carries() {
    assert_eq!(of(1104.2, 2.6), "1,104 ± 3");
    assert_eq!(of(1.0, 0.0), "1");
    assert_eq!(of(12.44, 0.31), "12.44 ± 0.31");
    assert_eq!(of(12.44, 3.1), "12.4 ± 3.1");
    assert_eq!(of(1_234_567.0, 0.0), "1,234,567");
    assert_eq!(plain(0.333), "0.33");
    let between = |low: f64, high: f64| between(Interval { value: high, low, high });
    assert_eq!(between(12e6, 40e6), "12 to 40 ms");
    assert_eq!(between(900e3, 40e6), "900 µs to 40 ms");
    assert_eq!(between(-3e6, 40e6), "at most 40 ms");
    assert_eq!([1.9e9, 58.2e6, 2.44e6, 120e3].map(time), ["1.9 s", "58 ms", "2.4 ms", "120 µs"]);
}
