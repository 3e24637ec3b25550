//! What a picture holds.

use super::*;

fn keep(name: &str, svg: &str) {
    if let Some(folder) = std::env::var_os("UNLADEN_SVG") {
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.svg")), svg).unwrap();
    }
}

/// `x`, `y` and `width` of the box whose title begins so.
pub(super) fn placed(svg: &str, name: &str) -> (f64, f64, f64) {
    let at = svg.find(&format!("<title>{name}\n")).unwrap_or_else(|| panic!("{name} is not drawn"));
    let rect = &svg[svg[..at].rfind("<rect").unwrap()..at];
    let number = |key: &str| {
        let (_, after) = rect.split_once(&format!(" {key}=\"")).unwrap();
        after.split_once('"').unwrap().0.parse::<f64>().unwrap()
    };
    (number("x"), number("y"), number("width"))
}

#[test]
fn a_page_is_drawn_like_this() {
    let profile = page();
    let svg = svg(&profile, &FlameStyle { width: 1_024, ..FlameStyle::of(&profile) });
    keep("page", &svg);
    // 1,000 pixels, 10 samples a request.
    let (x, bottom, width) = placed(&svg, "/srv/wiki/index.php");
    assert_eq!((x, width), (12.0, 1_000.0));
    let (x, y, width) = placed(&svg, "MediaWiki\\MediaWiki::main\n/srv/wiki/includes/MediaWiki.php:51");
    assert_eq!((x, y, width), (12.0, bottom - 18.0, 900.0), "the callee lies on its caller");
    assert_eq!(placed(&svg, "AutoLoader::find").2, 500.0);
    assert!(svg.contains("\n9 ms a request, 90 %; self 40 %</title>"), "{svg}");
    assert!(svg.contains(">8 requests · excimer · 1 sample = 1 ms</text>"), "{svg}");
    // Every kind there is, and no other, is in the legend.
    let legend = |text: &str| svg.contains(&format!(">{text}</text>"));
    assert!(
        ["function", "class look-up", "included file", "native code", "kernel", "processes"].map(legend) == [true; 6]
    );
}

#[test]
fn what_lies_on_one_box_is_in_the_order_of_names() {
    let mut profile = Profile::new(About::default());
    let ids = ["zeta", "alpha", "Mid"].map(|name| profile.frames.intern(Frame::function(name)));
    let request = profile.begin_request();
    for (id, weight) in ids.into_iter().zip([5, 3, 2]) {
        let stack = profile.stacks.intern([id]);
        profile.add(request, stack, weight);
    }
    let svg = svg(&profile, &FlameStyle { width: 1_024, ..FlameStyle::of(&profile) });
    let [zeta, alpha, mid] = ["zeta", "alpha", "Mid"].map(|name| placed(&svg, name));
    assert!(mid.0 < alpha.0 && alpha.0 < zeta.0, "{mid:?} {alpha:?} {zeta:?}");
    assert_eq!((mid.2, alpha.2, zeta.2), (200.0, 300.0, 500.0));
}

#[test]
fn what_is_too_narrow_is_counted() {
    let mut profile = page();
    let request = profile.begin_request();
    for name in ["tiny", "tinier"] {
        let frame = profile.frames.intern(Frame::function(name));
        let stack = profile.stacks.intern([frame]);
        profile.add(request, stack, 1);
    }
    let style = FlameStyle { least: 20.0, ..FlameStyle::of(&profile) };
    let svg = svg(&profile, &style);
    assert!(!svg.contains("<title>tiny"));
    assert!(svg.contains(" · 2 others too narrow to be drawn, together 2.44 %</text>"), "{svg}");
    let all = FlameStyle { least: 0.0, ..style };
    assert!(!super::svg(&profile, &all).contains("others"));
}

#[test]
fn nothing_can_be_drawn() {
    let empty = Profile::default();
    let svg = svg(&empty, &FlameStyle::of(&empty));
    assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"));
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let profile = page();
    let svg = svg(&profile, &FlameStyle::of(&profile)).replace("http://127.0.0.1:8080/index.php/Main_Page", "");
    let own = svg.replace("http://www.w3.org/2000/svg", "").replace("http://www.w3.org/1999/xhtml", "");
    for way in ["http:", "https:", "url(", "@import", "href", "src=", "fetch(", "XMLHttp"] {
        assert!(!own.contains(way), "{way}");
    }
    assert!(!include_str!("../script.js").contains("]]>") && !include_str!("../style.css").contains("]]>"));
}
