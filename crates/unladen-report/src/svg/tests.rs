use super::draw::text;
use super::*;
use crate::sample;

#[test]
fn one_page_is_drawn_like_this() {
    let mut out = Vec::new();
    Svg.weigh(&sample::one_page(), Style::plain(100), &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap());
}

#[test]
fn names_cannot_break_out_of_the_markup() {
    let mut body = String::new();
    text(0.0, 0.0, "start", "#000", "</text><script>&\"\u{1b}", &mut body);
    assert!(body.contains("&lt;/text&gt;&lt;script&gt;&amp;&quot;<"), "{body}");
}
