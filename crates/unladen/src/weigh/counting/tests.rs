use super::*;

#[test]
fn a_phase_holds_some_requests_and_at_least_one() {
    assert_eq!(requests_a_phase(Duration::from_micros(1)), MOST_REQUESTS);
    assert_eq!(requests_a_phase(Duration::from_millis(20)), 13);
    assert_eq!(requests_a_phase(Duration::from_secs(9)), 1);
}

#[test]
fn phases_without_requests_are_as_long_but_not_as_long_as_slow_pages() {
    let lengths = |millis| Lengths { on: Duration::from_millis(millis), request: Duration::ZERO }.off();
    assert_eq!(lengths(400), Duration::from_millis(400));
    assert_eq!(lengths(3_000), Duration::from_secs(1));
    assert_eq!(lengths(40_000), Duration::from_secs(10));
}
