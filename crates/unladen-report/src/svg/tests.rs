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

/// Tags close in the order in which they open, and attributes are quoted: enough to be well-formed here.
fn is_well_formed(svg: &str) -> bool {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let Some((tag, text)) = tag.split_once('>') else { return false };
        if text.contains('>') || tag.matches('"').count() % 2 != 0 {
            return false;
        }
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        if tag.starts_with('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    open.is_empty()
}

fn drawn(write: impl Fn(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    let svg = String::from_utf8(out).unwrap();
    assert!(is_well_formed(&svg), "{svg}");
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    svg
}

#[test]
fn findings_are_drawn_well_formed() {
    let plain = Style::plain(100);
    keep("found", &drawn(|out| Svg.weigh(&sample::found_inside(), plain, out)));
    let svg = drawn(|out| Svg.inside(&[sample::inside()], plain, out));
    assert!(sample::inside().all_findings().all(|finding| svg.contains(finding.rule)));
    keep("inside", &svg);
}

#[test]
fn loads_and_proofs_are_drawn_well_formed() {
    let plain = Style::plain(100);
    for (name, load) in
        [("steady", sample::steady()), ("overloaded", sample::overloaded()), ("searched", sample::searched())]
    {
        keep(name, &drawn(|out| Svg.load(&load, plain, out)));
    }
    for (name, proof) in [
        ("class_map", sample::class_map()),
        ("five_patches", sample::five_patches()),
        ("two_knobs", sample::two_knobs()),
    ] {
        let svg = drawn(|out| Svg.prove(&proof, plain, out));
        assert!(proof.arms.iter().all(|arm| svg.contains(&arm.name)));
        keep(name, &svg);
    }
}

/// To look at: `UNLADEN_SVG=/tmp cargo test -p unladen-report svg`.
fn keep(name: &str, svg: &str) {
    if let Some(folder) = std::env::var_os("UNLADEN_SVG") {
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.svg")), svg).unwrap();
    }
}
