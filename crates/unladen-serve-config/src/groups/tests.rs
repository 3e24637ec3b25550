use super::*;

#[test]
fn each_second_is_earned_by_so_many_bytes() {
    let pace = Pace { grace: Duration::from_secs(20), rate: Some(500) };
    let began = Instant::now();
    let after = |bytes| pace.until(began, bytes).map(|at| at - began);
    assert_eq!(after(0), Some(Duration::from_secs(20)));
    assert_eq!(after(250), Some(Duration::from_millis(20_500)));
    assert_eq!(after(5_000), Some(Duration::from_secs(30)));
}

#[test]
fn no_number_is_too_large_and_none_is_no_bound() {
    let pace = |rate| Pace { grace: Duration::MAX, rate };
    assert_eq!(pace(None).until(Instant::now(), 0), None);
    assert_eq!(pace(Some(1)).until(Instant::now(), u64::MAX), None);
    let fast = Pace { grace: Duration::ZERO, rate: Some(u64::MAX) };
    assert!(fast.until(Instant::now(), u64::MAX - 1).is_some());
}
