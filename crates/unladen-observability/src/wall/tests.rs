use super::*;

#[test]
fn rfc_3339_with_microseconds() {
    let wall = Wall(Duration::new(1_794_522_854, 123_456_789));
    assert_eq!(wall.to_string(), "2026-11-12T22:34:14.123456Z");
    assert_eq!(Wall(Duration::MAX).to_string(), "9999-12-31T23:59:59.999999Z");
    assert_eq!(Wall(Duration::ZERO).to_string(), "1970-01-01T00:00:00.000000Z");
}

#[test]
fn what_a_header_says() {
    let wall = Wall(Duration::from_secs(784_111_777 - 90));
    assert_eq!(wall.until("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::from_secs(90)));
    assert_eq!(wall.until("Tue, 06 Nov 1984 08:49:37 GMT"), Some(Duration::ZERO));
    assert_eq!(wall.until("tomorrow"), None);
}

#[test]
fn a_moment_of_the_monotonic_clock() {
    let (before, then) = (Wall::now(), Instant::now());
    std::thread::sleep(Duration::from_millis(5));
    let told = Wall::of(then);
    assert!(told.plus(Duration::from_millis(1)) > before && told < Wall::now(), "{before} {told}");
}
