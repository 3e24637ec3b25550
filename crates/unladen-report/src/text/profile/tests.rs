use super::*;
use crate::format::Format;
use crate::profile::ProfileDiff;
use crate::sample;
use crate::text::Text;

fn profiled(result: &Profiled, width: u16) -> String {
    let mut out = Vec::new();
    Text.profile(result, Style::plain(width), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn compared(result: &ProfileDiff, width: u16) -> String {
    let mut out = Vec::new();
    Text.profile_diff(result, Style::plain(width), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_profile_reads_like_this() {
    insta::assert_snapshot!(profiled(&sample::profiled(), 100));
}

#[test]
fn a_file_that_tells_no_requests_reads_like_this() {
    insta::assert_snapshot!(profiled(&sample::from_file(), 80));
}

#[test]
fn a_comparison_reads_like_this() {
    insta::assert_snapshot!(compared(&sample::profile_diff(), 120));
}

#[test]
fn a_comparison_of_files_reads_like_this() {
    insta::assert_snapshot!(compared(&sample::diff_of_files(), 80));
}

#[test]
fn tables_fit_the_terminal() {
    for width in [60, 80, 100, 140, 200] {
        let page = Profiled { findings: Vec::new(), ..sample::profiled() };
        let texts = [
            profiled(&page, width),
            profiled(&sample::from_file(), width),
            compared(&sample::profile_diff(), width),
            compared(&sample::diff_of_files(), width),
        ];
        for text in texts {
            let is_long = |line: &&str| line.chars().count() > usize::from(width);
            let too_long: Vec<&str> = text.lines().filter(is_long).collect();
            assert!(too_long.is_empty(), "{width}: {too_long:#?}");
        }
    }
}

#[test]
fn colours_change_no_column() {
    let mut out = Vec::new();
    let style = Style { width: 100, colour: true };
    Text.profile(&sample::profiled(), style, &mut out).unwrap();
    Text.profile_diff(&sample::profile_diff(), style, &mut out).unwrap();
    let mut plain = String::new();
    for (index, part) in String::from_utf8(out).unwrap().split('\u{1b}').enumerate() {
        plain.push_str(if index == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    let plain: Vec<&str> = plain.lines().map(str::trim_end).collect();
    let expected = profiled(&sample::profiled(), 100) + &compared(&sample::profile_diff(), 100);
    assert_eq!(plain, expected.lines().collect::<Vec<_>>());
}

#[test]
fn overhead_within_its_interval_is_none() {
    let mut setup = sample::profiled().setup.unwrap();
    assert!(overhead(&setup).ends_with("% more"), "{}", overhead(&setup));
    setup.profiled_ns = setup.plain_ns;
    assert!(overhead(&setup).contains("no measurable difference"), "{}", overhead(&setup));
    setup.plain_ns = (19e6, f64::NEG_INFINITY, f64::INFINITY);
    assert!(overhead(&setup).contains("19.0 ms (too few for an interval)"), "{}", overhead(&setup));
    setup.plain_ns = (0.0, 0.0, 0.0);
    assert_eq!(setup.overhead(), None);
}

#[test]
fn shares_have_as_many_digits_as_their_margin() {
    assert_eq!(percent(0.166, Some(0.007)), "16.6 ± 0.7 %");
    assert_eq!(percent(0.0123, Some(0.0002)), "1.23 ± 0.02 %");
    assert_eq!(percent(1.0, None), "100 %");
    assert_eq!(percent(0.25, None), "25.0 %");
    assert_eq!(percent(0.000_123, None), "0.01 %");
}
