use super::*;
use crate::doctor::row::Verdict;

#[test]
fn steal_is_judged_as_in_a_run() {
    let second = Duration::from_secs(1);
    let quiet = MachineTimes { elapsed: second, available: second, busy: second / 2, ..MachineTimes::default() };
    assert_eq!(row(&quiet).what, "the hypervisor takes 0.0 % of the processors' time now");
    let robbed = row(&MachineTimes { stolen: second / 3, ..quiet });
    assert_eq!((robbed.verdict, &robbed.what[..26]), (Verdict::Limited, "the hypervisor takes 33.3 "));
    let clocked = row(&MachineTimes { frequency_hz: Some((1_200_000_000, 3_500_000_000)), ..quiet });
    assert!(clocked.what.ends_with("; the processors run at 1.20 to 3.50 GHz"), "{clocked:?}");
}
