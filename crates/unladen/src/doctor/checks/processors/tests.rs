use super::*;
use crate::doctor::row::Verdict;

#[test]
fn steal_is_judged_as_in_a_run() {
    let second = Duration::from_secs(1);
    let quiet = MachineTimes { elapsed: second, available: second, busy: second / 2, ..MachineTimes::default() };
    assert_eq!(of_times(&quiet).what, "the hypervisor takes 0.0 % of the processors' time now");
    let robbed = of_times(&MachineTimes { stolen: second / 3, ..quiet });
    assert_eq!((robbed.verdict, &robbed.what[..26]), (Verdict::Limited, "the hypervisor takes 33.3 "));
    let clocked = of_times(&MachineTimes { frequency_hz: Some((1_200_000_000, 3_500_000_000)), ..quiet });
    assert!(clocked.what.ends_with("; the processors run at 1.20 to 3.50 GHz"), "{clocked:?}");
}

#[test]
fn a_slow_clock_is_told_with_its_way_out() {
    assert_eq!(of_clock("tsc", "tsc hpet", 20).what, "tsc: reading the time takes 20 ns");
    let hpet = of_clock("hpet", "tsc hpet acpi_pm", 900);
    assert_eq!(hpet.verdict, Verdict::Limited);
    assert!(hpet.fix[0].starts_with("echo tsc | ") && hpet.fix[0].ends_with("/current_clocksource"), "{hpet:?}");
    assert!(of_clock("acpi_pm", "acpi_pm", 900).fix.is_empty());
    assert_eq!(of_clock("", "", 60).verdict, Verdict::Ok);
}

#[test]
fn load_and_server_share_a_single_processor() {
    assert_eq!(of_number(1, None, Some("Z80")).verdict, Verdict::Limited);
    assert_eq!(of_number(4, Some(1.5), None).what, "4 processors, a quota of 1.5 (of an unknown model)");
}
