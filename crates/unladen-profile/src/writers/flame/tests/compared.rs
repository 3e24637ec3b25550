//! What a comparison's picture holds.

use super::drawn::placed;
use super::*;
use crate::diff::diff;

/// 40 requests: `find` takes so much, `skin` always about the same, `gone` may be missing.
fn side(title: &str, find: u64, gone: u64) -> Profile {
    let mut profile = Profile::new(About { title: title.into(), are_requests: true, ..About::default() });
    let ids = ["find", "gone", "skin"].map(|name| profile.frames.intern(Frame::function(name)));
    for request in 0..40 {
        let cluster = profile.begin_request();
        for (id, weight) in ids.into_iter().zip([find, gone, 30 + request * 7 % 5]) {
            let stack = profile.stacks.intern([id]);
            profile.add(cluster, stack, weight);
        }
    }
    profile
}

fn drawn(before: &Profile, after: &Profile) -> String {
    let diff = diff(before, after).unwrap();
    let mut out = Vec::new();
    flame_diff(&diff, &FlameStyle { width: 1_024, ..FlameStyle::of_diff(&diff) }, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The tag of the box of that name.
fn tag<'a>(svg: &'a str, name: &str) -> &'a str {
    let at = svg.find(&format!("<title>{name}\n")).unwrap();
    &svg[svg[..at].rfind("<rect").unwrap()..at]
}

#[test]
fn what_has_grown_and_shrunk_is_told_and_else_nothing() {
    let svg = drawn(&side("before", 10, 8), &side("after", 38, 0));
    // The candidate's widths, of 70 a request.
    assert_eq!(placed(&svg, "find"), (12.0, placed(&svg, "skin").1, 542.86));
    assert!(tag(&svg, "find").contains("class=\"u5 told\"") && svg.contains(">▲ find</text>"), "{}", tag(&svg, "find"));
    assert!(tag(&svg, "skin").contains("class=\"e0\"") && svg.contains(">skin</text>"), "{}", tag(&svg, "skin"));
    assert!(tag(&svg, "gone").contains("class=\"d") && tag(&svg, "gone").contains("display=\"none\""));
    assert!(svg.contains("\n10 samples → 38 samples a request (+28 samples): grown</title>"));
    assert!(svg.contains("(0 samples): no certain change</title>"));
    // No kinds here: colours tell the change.
    assert!(!svg.contains(".f0{") && svg.contains(".u5{fill:#"));
}

#[test]
fn without_intervals_nothing_is_told() {
    let [mut before, mut after] = [side("before", 10, 8), side("after", 38, 0)];
    before.about.are_requests = false;
    after.about.are_requests = false;
    let svg = drawn(&before, &after);
    assert!(["all", "find", "gone", "skin"].iter().all(|name| tag(&svg, name).contains("class=\"e0\"")));
    assert!(svg.contains("parts of the whole") && svg.contains(" → 54.3 % (+34.3 %): unclear: no intervals"), "{svg}");
}

#[test]
fn of_two_that_are_empty_a_picture_is_drawn() {
    let svg = drawn(&Profile::default(), &Profile::default());
    assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
}
