use super::*;

#[test]
fn a_time_is_read_to_the_minute() {
    assert_eq!(time_text("2026-11-23T04:59:13Z"), "2026-11-23 04:59 UTC");
    for odd in ["", "yesterday", "2026-11-23T04:59:13+01:00", "ééééééééééééééééZ"] {
        assert_eq!(time_text(odd), odd);
    }
}
