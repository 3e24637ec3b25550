use crate::format::{Format, Report};
use crate::style::Style;
use crate::svg::Svg;
use crate::tests::sample;

fn keep(name: &str, svg: &str) {
    if let Some(folder) = std::env::var_os("UNLADEN_SVG") {
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.svg")), svg).unwrap();
    }
}

#[test]
fn the_picture_is_a_flame_graph_of_the_page() {
    let mut out = Vec::new();
    Svg.write(Report::Profile(&sample::profiled()), Style::plain(100), &mut out).unwrap();
    let svg = String::from_utf8(out).unwrap();
    keep("profiled", &svg);
    assert!(svg.contains(">http://127.0.0.1:8080/index.php/Main_Page</text>"));
    assert!(svg.contains(">60 requests · excimer · 1 sample = 1 ms · www-data php-fpm8.2</text>"), "{svg}");
    assert!(svg.contains("<title>AutoLoader::find\n"));
}

#[test]
fn the_picture_of_a_comparison_tells_what_has_shrunk() {
    let mut out = Vec::new();
    Svg.write(Report::ProfileDiff(&sample::profile_diff()), Style::plain(100), &mut out).unwrap();
    let svg = String::from_utf8(out).unwrap();
    keep("profile_diff", &svg);
    assert!(svg.contains(">without the class map → with it</text>"));
    let (_, find) = svg.split_once("<title>AutoLoader::find\n").unwrap();
    let (title, _) = find.split_once("</title>").unwrap();
    assert!(title.ends_with(": shrunk"), "{title}");
    assert!(svg.contains("): no change for certain</title>"), "{svg}");
}
