use super::*;

#[test]
fn figures_read_as_on_the_terminal() {
    assert_eq!(
        span(Kind::Time, Span { value: 17_918_223.0, low: 17_704_223.0, high: 18_132_223.0 }),
        "17.92 ± 0.21 ms"
    );
    assert_eq!(with_margin(Kind::Count, 161.0, 161.0, 161.0), "161");
    assert_eq!(with_margin(Kind::Time, 5e6, f64::NAN, f64::NAN), "5.00 ms");
    assert_eq!(interval(Kind::Time, 18_900_000.0, 19_400_000.0), "18.9 to 19.4 ms");
    assert_eq!(share(OpenSpan { value: 0.988, low: Some(0.987), high: Some(0.989) }), "98.8 ± 0.2 %");
    assert_eq!(share_text(0.99979), "99.979 %");
    assert_eq!(share_text(1.0), "100 %");
    assert_eq!(counter("", "voluntary_switches"), "voluntary switches");
    // The terminal said "page faults, minor", and HTML "minor faults".
    assert_eq!(counter("page faults, minor", "minor_faults"), "page faults, minor");
}
