use super::*;

#[test]
fn the_bound_doubles_up_to_the_longest() {
    let millis = Duration::from_millis;
    let bounds: Vec<_> = (0..8).map(|attempt| bound(attempt, millis(25), millis(250))).collect();
    let expected = [25, 25, 50, 100, 200, 250, 250, 250].map(millis);
    assert_eq!(bounds, expected);
    for attempt in [32, 33, 34, u32::MAX] {
        assert_eq!(bound(attempt, millis(25), millis(250)), millis(250), "{attempt}");
    }
    assert_eq!(bound(3, Duration::MAX, Duration::MAX), Duration::MAX, "it does not overflow");
}

#[test]
fn waits_are_spread_over_the_whole_length() {
    let settings = RetrySettings::default();
    let waits: Vec<_> = (0..10_000).map(|_| delay(2, &settings).as_secs_f64() / 0.05).collect();
    assert!(waits.iter().all(|wait| (0.0..1.0).contains(wait)));
    // Uniform: 1,000 in each tenth, give or take five standard deviations (30 each).
    for tenth in 0..10 {
        let range = f64::from(tenth) / 10.0..f64::from(tenth + 1) / 10.0;
        let count = waits.iter().filter(|wait| range.contains(wait)).count();
        assert!((850..=1_150).contains(&count), "{range:?}: {count}");
    }
}
