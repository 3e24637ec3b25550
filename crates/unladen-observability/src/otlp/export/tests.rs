use super::*;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn waits_grow_and_differ() {
    let patience = Patience { whole: Duration::MAX, ..Patience::default() };
    for (times, about) in [(1, 1), (2, 2), (3, 4), (5, 16), (6, 30), (40, 30)] {
        let waits: Vec<Duration> = (0..200).map(|_| patience.wait(times, Duration::ZERO, None).unwrap()).collect();
        let about = SECOND * about;
        assert!(waits.iter().all(|&wait| wait >= about / 2 && wait <= about * 3 / 2), "{times}: {waits:?}");
        assert!(waits.iter().max() > waits.iter().min());
    }
}

#[test]
fn what_the_collector_asks_for_holds_and_no_more_than_the_whole() {
    let patience = Patience::default();
    assert_eq!(patience.wait(1, 10 * SECOND, Some(45 * SECOND)), Some(45 * SECOND));
    assert_eq!(patience.wait(1, 10 * SECOND, Some(51 * SECOND)), None);
    assert_eq!(patience.wait(1, 10 * SECOND, Some(Duration::ZERO)), Some(Duration::ZERO));
    assert_eq!(patience.wait(9, 60 * SECOND, None), None);
}

#[test]
fn both_forms_of_retry_after() {
    let now = Wall::now();
    assert_eq!(asked_for(Some(" 120 "), now), Some(120 * SECOND));
    assert_eq!(asked_for(Some("Sun, 06 Nov 1994 08:49:37 GMT"), now), Some(Duration::ZERO));
    assert!(asked_for(Some("Tue, 31 Dec 2199 23:59:59 GMT"), now) > Some(SECOND));
    for nonsense in [None, Some("soon"), Some("-1"), Some("1.5"), Some("99999999999999999999999")] {
        assert_eq!(asked_for(nonsense, now), None, "{nonsense:?}");
    }
}
