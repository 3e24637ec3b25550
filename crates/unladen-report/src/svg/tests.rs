use super::draw::text;
use super::*;
use crate::tests::sample;
use unladen_document::About;

#[test]
fn one_page_is_drawn_like_this() {
    let mut out = Vec::new();
    Svg.write(Report::Weigh(&sample::one_page()), Style::plain(100), &mut out).unwrap();
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
    keep("found", &drawn(|out| Svg.write(Report::Weigh(&sample::found_inside()), plain, out)));
    let svg = drawn(|out| Svg.write(Report::Inside(&[sample::inside()], &About::default()), plain, out));
    assert!(sample::inside().findings.iter().all(|finding| svg.contains(&finding.rule)));
    keep("inside", &svg);
}

#[test]
fn loads_and_proofs_are_drawn_well_formed() {
    let plain = Style::plain(100);
    for (name, load) in
        [("steady", sample::steady()), ("overloaded", sample::overloaded()), ("searched", sample::searched())]
    {
        keep(name, &drawn(|out| Svg.write(Report::Load(&load), plain, out)));
    }
    for (name, proof) in [
        ("class_map", sample::class_map()),
        ("five_patches", sample::five_patches()),
        ("two_knobs", sample::two_knobs()),
    ] {
        let svg = drawn(|out| Svg.write(Report::Prove(&proof), plain, out));
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

#[test]
fn a_group_on_the_path_that_is_not_told_from_noise_is_drawn() {
    let mut out = Vec::new();
    Svg.write(Report::Weigh(&sample::on_the_path()), Style::plain(100), &mut out).unwrap();
    let svg = String::from_utf8(out).unwrap();
    assert!(svg.contains("on the path; 12.0 to 40.0 ms, not distinguishable from its other"), "{svg}");
    assert!(svg.contains("Not judged: 10.0.0.5:5432 (PostgreSQL)") && is_well_formed(&svg), "{svg}");
}

/// p99 lay below the line of the largest, and of steps, the rate and what failed nothing was to be seen.
#[test]
fn a_load_shows_its_p99_its_rate_its_steps_and_what_failed() {
    let svg = drawn(|out| Svg.write(Report::Load(&sample::overloaded()), Style::plain(100), out));
    for word in [">p50<", ">p99<", ">max (dots)<", ">planned<", ">failed<", ">requests per second<", ">100/s<"] {
        assert!(svg.contains(word), "{word}: {svg}");
    }
    let [dots, p99] = ["<circle", "stroke=\"#e69f00\" stroke-width=\"2\""].map(|part| svg.rfind(part).unwrap());
    assert!(dots < p99, "what is drawn last is seen");
}

/// The table has the mean of both arms of the baseline, and the picture had the median of the first.
#[test]
fn the_picture_and_the_table_have_the_same_baseline() {
    let mut proof = sample::class_map();
    let metric = proof.first_quantile().unwrap().to_owned();
    for comparison in proof.comparisons.iter_mut().filter(|comparison| comparison.metric == metric) {
        comparison.baseline = Some(31_400_000.0);
    }
    let svg = drawn(|out| Svg.write(Report::Prove(&proof), Style::plain(100), out));
    let mut table = Vec::new();
    crate::text::Text.write(Report::Prove(&proof), Style::plain(100), &mut table).unwrap();
    assert!(String::from_utf8(table).unwrap().contains("31.4 ms") && svg.contains(">31.4 ms<"), "{svg}");
}

/// The baseline's p99 lay beyond all whiskers: its line stood at the right edge, as if it were the largest p95.
#[test]
fn the_baselines_line_stands_at_its_value_beyond_the_whiskers_too() {
    // Of the first arm's box: where its upper whisker ends, and where the line stands.
    let drawn_with = |baseline: f64| -> [f64; 2] {
        let mut proof = sample::class_map();
        proof.comparisons.retain(|comparison| comparison.metric == "latency.p99");
        proof.comparisons[0].baseline = Some(baseline);
        let svg = drawn(|out| Svg.write(Report::Prove(&proof), Style::plain(100), out));
        let (before, after) = svg.split_once("stroke-dasharray=\"4 4\"").unwrap();
        let (_, line) = before.rsplit_once("<path d=\"M").unwrap();
        let whisker = after.split('H').nth(2).unwrap();
        [(whisker, 'M'), (line, ' ')].map(|(part, end)| part.split(end).next().unwrap().parse().unwrap())
    };
    let p95 = sample::class_map().arms[0].box_plot_ns.unwrap().p95 as f64;
    let [whisker, line] = drawn_with(p95);
    assert!((line - whisker).abs() < 0.2, "{whisker}, {line}");
    let [whisker, line] = drawn_with(1.3 * p95);
    assert!(line - whisker > 100.0, "{whisker}, {line}");
}

/// A name of 60 letters ran into its arm's ratio.
#[test]
fn a_long_name_ends_before_what_its_arm_comes_to() {
    let mut proof = sample::class_map();
    let name = "a patched tree with the class map of all extensions and vendors";
    let old = std::mem::replace(&mut proof.arms[1].name, name.to_owned());
    proof.comparisons.iter_mut().filter(|one| one.arm == old).for_each(|one| one.arm = name.to_owned());
    let svg = drawn(|out| Svg.write(Report::Prove(&proof), Style::plain(100), out));
    let texts: Vec<&str> = svg.split("<text ").skip(1).filter_map(|text| text.split(['<', '>']).nth(1)).collect();
    let begun = texts.iter().position(|text| text.starts_with("a patched tree")).unwrap();
    assert!(texts[begun].ends_with('…') && texts[begun + 1].contains('%'), "{:?}", &texts[begun..begun + 2]);
    let letters = texts[begun].chars().count() + texts[begun + 1].chars().count();
    assert!((30..64).contains(&letters), "{letters}");
}

/// All that can be drawn.
fn all() -> Vec<String> {
    let plain = Style::plain(100);
    let weighed = [sample::one_page(), sample::two_pages(), sample::on_the_path(), sample::found_inside()];
    let loads = [sample::steady(), sample::overloaded(), sample::searched()];
    let proofs = [sample::class_map(), sample::five_patches(), sample::two_knobs()];
    let mut all: Vec<String> =
        weighed.iter().map(|result| drawn(|out| Svg.write(Report::Weigh(result), plain, out))).collect();
    all.extend(loads.iter().map(|result| drawn(|out| Svg.write(Report::Load(result), plain, out))));
    all.extend(proofs.iter().map(|result| drawn(|out| Svg.write(Report::Prove(result), plain, out))));
    all
}

#[test]
fn every_colour_has_one_for_a_dark_ground() {
    for svg in all() {
        assert!(svg.contains("@media (prefers-color-scheme:dark)"));
        for attribute in [" fill=\"", " stroke=\""] {
            for after in svg.split(attribute).skip(1) {
                let colour = after.split('"').next().unwrap();
                assert!(draw::has_dark(colour), "{colour}");
            }
        }
    }
}

/// At 390 points a letter has to be ten high, and no text may leave the picture.
#[test]
fn every_picture_is_readable_on_a_phone() {
    let letters = draw::SIZE * 390.0 / draw::WIDTH;
    assert!(letters >= 10.0, "{letters}");
    for svg in all() {
        assert!(
            svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=") && svg.contains(" width=\"100%\"")
        );
        for text in svg.split("<text ").skip(1) {
            let value = |name: &str| text.split(&format!("{name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
            let x: f64 = value("x").unwrap().parse().unwrap();
            let content = text.split('>').nth(1).and_then(|rest| rest.split('<').next()).unwrap();
            let wide = content.chars().count() as f64 * 8.0;
            let (from, to) = match value("text-anchor").unwrap() {
                "start" => (x, x + wide),
                "end" => (x - wide, x),
                _ => (x - wide / 2.0, x + wide / 2.0),
            };
            assert!(from >= -8.0 && to <= draw::WIDTH + 8.0, "{content}: {from} to {to}");
        }
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
    assert!(svg.contains("): no certain change</title>"), "{svg}");
}
