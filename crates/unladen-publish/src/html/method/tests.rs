use super::*;

#[test]
fn a_command_can_be_copied() {
    let command = ["unladen", "weigh", "http://[::1]/?a=1&b", "it's", "", "--time=5s"].map(str::to_owned);
    assert_eq!(shell(&command), r"unladen weigh 'http://[::1]/?a=1&b' 'it'\''s' '' --time=5s");
}

#[test]
fn a_time_is_read_to_the_minute() {
    assert_eq!(time_text("2026-11-23T04:59:13Z"), "2026-11-23 04:59 UTC");
    for odd in ["", "yesterday", "2026-11-23T04:59:13+01:00", "ééééééééééééééééZ"] {
        assert_eq!(time_text(odd), odd);
    }
}
