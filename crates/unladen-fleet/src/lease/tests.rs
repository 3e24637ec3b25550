use super::*;

#[test]
fn it_is_over_by_the_clock_alone() {
    let lease = Lease::default();
    let now = Instant::now();
    assert!(!lease.holds(now));
    lease.renew(now + Duration::from_secs(10));
    lease.renew(now + Duration::from_secs(5));
    assert!(lease.holds(now + Duration::from_millis(9999)));
    assert!(!lease.holds(now + Duration::from_secs(10)));
    assert_eq!(lease.left(now + Duration::from_secs(9)), Duration::from_secs(1));
    lease.end();
    assert!(!lease.holds(now));
}
