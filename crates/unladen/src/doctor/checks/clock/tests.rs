use super::*;
use crate::doctor::row::Verdict;

#[test]
fn a_slow_clock_is_told_with_its_way_out() {
    assert_eq!(row("tsc", "tsc hpet", 20).what, "tsc: reading the time takes 20 ns");
    let hpet = row("hpet", "tsc hpet acpi_pm", 900);
    assert_eq!(hpet.verdict, Verdict::Limited);
    assert!(hpet.fix[0].starts_with("echo tsc | ") && hpet.fix[0].ends_with("/current_clocksource"), "{hpet:?}");
    assert!(row("acpi_pm", "acpi_pm", 900).fix.is_empty());
    assert_eq!(row("", "", 60).verdict, Verdict::Ok);
}
