use proptest::prelude::*;
use unladen_profile::{Frame, FrameKind, Profile, diff, functions};

use super::*;
use crate::format::{Format, Report};
use crate::formats::FORMATS;
use crate::profile::ProfileDiff;
use crate::tests::sample;
use crate::text::Text;

fn profiled(result: &Profiled, width: u16) -> String {
    let mut out = Vec::new();
    Text.write(Report::Profile(result), Style::plain(width), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn compared(result: &ProfileDiff, width: u16) -> String {
    let mut out = Vec::new();
    Text.write(Report::ProfileDiff(result), Style::plain(width), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_profile_reads_like_this() {
    insta::assert_snapshot!(profiled(&sample::profiled(), 100));
}

/// It had 75 lines.
#[test]
fn a_profile_fits_a_screen() {
    let style = Style { details: false, ..Style::plain(80) };
    let mut out = Vec::new();
    Text.write(Report::Profile(&sample::profiled()), style, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.lines().count() < 24, "{text}");
    insta::assert_snapshot!(text);
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
        let mut page = sample::profiled();
        page.document.findings.clear();
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
    let style = Style { colour: true, ..Style::plain(100) };
    Text.write(Report::Profile(&sample::profiled()), style, &mut out).unwrap();
    Text.write(Report::ProfileDiff(&sample::profile_diff()), style, &mut out).unwrap();
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
    let mut setup = sample::profiled().document.setup.unwrap();
    assert!(overhead(&setup).ends_with("% more"), "{}", overhead(&setup));
    setup.profiled_ns = setup.plain_ns;
    assert!(overhead(&setup).contains("no measurable difference"), "{}", overhead(&setup));
    setup.plain_ns = OpenNs { value: 19_000_000, low: Some(0), high: None };
    assert!(overhead(&setup).contains("19.0 ms (too few for an interval)"), "{}", overhead(&setup));
    setup.plain_ns = OpenNs { value: 0, low: Some(0), high: Some(0) };
    assert_eq!(ProfileSetup::overhead_of(setup.plain_ns, setup.profiled_ns), None);
}

#[test]
fn shares_have_as_many_digits_as_their_margin() {
    assert_eq!(percent(0.166, Some(0.007)), "16.6 ± 0.7 %");
    assert_eq!(percent(0.0123, Some(0.0002)), "1.23 ± 0.02 %");
    assert_eq!(percent(1.0, None), "100 %");
    assert_eq!(percent(0.25, None), "25.0 %");
    assert_eq!(percent(0.000_123, None), "0.01 %");
}

#[test]
fn what_has_no_name_keeps_whose_it_is() {
    for (name, short) in [
        ("App\\Kernel::{closure:/srv/app/src/Kernel.php(12)}", "App\\Kernel::{closure:Kernel.php(12)}"),
        ("{closure:/srv/app/src/Kernel.php:12}", "{closure:Kernel.php:12}"),
        ("Sympa::__ANON__[/usr/share/sympa/lib/Sympa.pm:7]", "Sympa::__ANON__[Sympa.pm:7]"),
        ("a::{{closure}}", "a::{{closure}}"),
        ("f[/", "f["),
        ("f[/é", "f[é"),
    ] {
        assert_eq!(without_folders(name), short);
    }
}

fn compared_lines(before: u64, after: u64) -> String {
    let profile = |weight| {
        let mut profile = Profile::default();
        let cluster = profile.begin_request();
        for (name, weight) in [("main", 9), ("moved", weight)] {
            let frame = profile.frames.intern(Frame::function(name));
            let stack = profile.stacks.push(profile.stacks.root(), frame);
            profile.add(cluster, stack, weight);
        }
        profile
    };
    let diff = diff(&profile(before), &profile(after)).unwrap();
    compared(&ProfileDiff::of(diff, 5), 80)
}

#[test]
fn a_comparison_that_tells_nothing_says_so_in_a_line() {
    let same = compared_lines(3, 3);
    assert!(same.ends_with("\n\nno difference in any function\n\n"), "{same}");
    assert!(compared_lines(3, 4).contains("moved"));
    let of = |a: &Profile, b: &Profile| ProfileDiff::of(diff(a, b).unwrap(), 5);
    let page = sample::profiled().profile.unwrap();
    let none = compared(&of(&page, &page), 100);
    assert_eq!(none.matches("no certain change").count(), 2, "{none}");
    assert!(none.contains("\n\nno certain change in any function\n\n"), "{none}");
    let empty = compared(&of(&Profile::default(), &Profile::default()), 100);
    assert!(empty.contains("\n\nno function was seen in either\n\n"), "{empty}");
}

#[test]
fn calls_of_a_file_that_tells_no_requests_are_those_of_the_whole() {
    let text = profiled(&sample::from_file(), 100);
    let line = text.lines().find(|line| line.contains("AutoLoader::find")).unwrap();
    assert!(text.contains("total  calls  function"), "{text}");
    assert!(line.contains("200"), "{line}");
}

fn odd() -> impl Strategy<Value = f64> {
    prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(0.0), Just(f64::MAX), -1e9_f64..1e12]
}

fn odd_name() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), Just("\u{1b}[31m</title>]]><&>\"\n\u{2061}\\".to_owned()), "\\PC{0,80}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_format_writes_any_profile(
        names in proptest::collection::vec(odd_name(), 4),
        odds in proptest::collection::vec(odd(), 8),
        weights in proptest::collection::vec(prop_oneof![Just(0), Just(1), Just(u64::MAX / 64), 0_u64..1_000], 8),
        requests in 0_usize..9,
        width in 0_u16..220,
    ) {
        let mut result = sample::profiled();
        let mut profile = result.profile.take().unwrap();
        profile.clusters.truncate(requests);
        for (cluster, name) in profile.clusters.iter_mut().zip(&names) {
            let frame = profile.frames.intern(Frame { name, file: name, line: u32::MAX, kind: FrameKind::Native });
            for weight in &weights {
                let stack = profile.stacks.push(profile.stacks.root(), frame);
                cluster.weights.push((stack, *weight));
            }
        }
        profile.about.title.clone_from(&names[0]);
        let mut setup = result.document.setup.take().unwrap();
        let ns = |odds: &[f64]| {
            let end = |ns: f64| Some(ns).filter(|ns| ns.is_finite()).map(|ns| ns as u64);
            OpenNs { value: odds[0] as u64, low: end(odds[1]), high: end(odds[2]) }
        };
        (setup.plain_ns, setup.profiled_ns) = (ns(&odds), ns(&odds[3..]));
        setup.group.clone_from(&names[1]);
        let setups = Some([setup.clone(), setup.clone()]);
        let mut moved = diff(sample::profiled().profile.as_ref().unwrap(), &profile).unwrap();
        for row in &mut moved.rows {
            row.self_change.value = odds[6];
            row.total_change.interval = Some((odds[6], odds[7]));
            row.calls_per_request = Some([odds[0], odds[1]]);
        }
        let mut moved = ProfileDiff::of(moved, 5);
        moved.document.setups = setups;
        let rows = functions(&profile);
        let notes = result.document.notes.clone();
        result = Profiled::of(profile, &rows, 3);
        (result.document.setup, result.document.notes) = (Some(setup), notes);
        result.document.notes.push(names[2].clone());
        for format in FORMATS {
            let mut out = Vec::new();
            format.write(Report::Profile(&result), Style::plain(width), &mut out).unwrap();
            let mut other = Vec::new();
            format.write(Report::ProfileDiff(&moved), Style::plain(width), &mut other).unwrap();
            for text in [String::from_utf8(out).unwrap(), String::from_utf8(other).unwrap()] {
                prop_assert!(!text.contains('\u{1b}') && !text.contains("NaN"), "{}: {text}", format.name());
                if format.name() == "json" {
                    serde_json::from_str::<serde_json::Value>(&text).unwrap();
                }
            }
        }
    }
}
