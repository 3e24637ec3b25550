use std::num::NonZeroU64;

use super::figure::bar;
use super::prose::{clean, fill};
use super::*;
use crate::inside::Inside;
use crate::style::FixCommand;
use crate::tests::sample;
use crate::unfit::Unfit;
use crate::weigh::Weigh;
use proptest::prelude::*;
use unladen_document::{About, Change, Comparison, Finding, Fix, FixPart, LoadDocument, Metric, ProveDocument, Weight};

fn written(result: &Weigh) -> String {
    let mut out = Vec::new();
    Text.write(Report::Weigh(result), Style::plain(100), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn one_page_reads_like_this() {
    insta::assert_snapshot!(written(&sample::one_page()));
}

#[test]
fn whether_cookies_were_kept_is_told() {
    let said = |keep_cookies| {
        let mut weigh = sample::one_page();
        weigh.run.keep_cookies = keep_cookies;
        let mut load = sample::steady();
        load.keep_cookies = keep_cookies;
        let mut prove = sample::class_map();
        prove.keep_cookies = keep_cookies;
        let mut out = Vec::new();
        Text.write(Report::Load(&load), Style::plain(200), &mut out).unwrap();
        Text.write(Report::Prove(&prove), Style::plain(200), &mut out).unwrap();
        let text = written(&weigh) + std::str::from_utf8(&out).unwrap();
        text.matches("no cookies kept").count()
    };
    assert_eq!((said(true), said(false)), (0, 3));
}

#[test]
fn two_pages_compare_like_this() {
    insta::assert_snapshot!(written(&sample::two_pages()));
}

#[test]
fn a_group_on_the_path_that_is_not_told_from_noise_reads_like_this() {
    let text = written(&sample::on_the_path());
    assert!(!text.contains("no finding"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn a_shop_over_hosts_reads_like_this() {
    let text = written(&sample::over_hosts());
    insta::assert_snapshot!(text);
}

#[test]
fn no_finding_is_said_of_what_was_looked_at_as_a_whole_alone() {
    let said = |change: fn(&mut Inside)| {
        let mut inside = Inside { counts: sample::inside().counts, ..Inside::default() };
        change(&mut inside);
        let mut out = Vec::new();
        Text.write(Report::Inside(&[inside], &About::default()), Style::plain(80), &mut out).unwrap();
        String::from_utf8(out).unwrap().contains("no finding")
    };
    assert!(said(|_| {}));
    assert!(!said(|inside| inside.not_judged = sample::inside().not_judged));
    assert!(!said(|inside| inside.not_looked_for = sample::inside().not_looked_for));
    assert!(!said(|inside| inside.lost = 1));
}

#[test]
fn findings_read_like_this() {
    insta::assert_snapshot!(written(&sample::found_inside()));
}

#[test]
fn what_an_earlier_run_kept_reads_like_this() {
    let mut out = Vec::new();
    Text.write(Report::Inside(&[sample::inside()], &About::default()), Style::plain(80), &mut out).unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap());
}

#[test]
fn nothing_that_follows_reads_like_this() {
    insta::assert_snapshot!(written(&sample::nothing_follows()));
}

#[test]
fn without_colour_there_is_no_escape_sequence_and_with_it_there_is() {
    assert!(!written(&sample::one_page()).contains('\u{1b}'));
    let mut out = Vec::new();
    Text.write(Report::Weigh(&sample::one_page()), Style { colour: true, ..Style::plain(100) }, &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().contains('\u{1b}'));
}

#[test]
fn a_bar_grows_with_its_value() {
    assert_eq!(bar(1.0, 1.0, 20).chars().count(), 20);
    assert_eq!(bar(0.5, 1.0, 20), "█".repeat(10));
    assert_eq!(bar(0.0, 1.0, 20), "");
    assert_eq!(bar(1.0 / 160.0, 1.0, 20), "▏");
    assert_eq!(bar(1.0, 0.0, 20), "");
}

#[test]
fn tables_fit_the_terminal_and_a_narrow_one_reads_like_this() {
    let loads = [sample::steady(), sample::overloaded(), sample::searched()];
    let proofs = [sample::class_map(), sample::five_patches(), sample::two_knobs()];
    for width in [60, 80, 100, 200] {
        let texts = loads.iter().map(|load| loaded(load, width)).chain(proofs.iter().map(|proof| proved(proof, width)));
        for text in texts {
            let too_long: Vec<&str> = text.lines().filter(|line| line.chars().count() > usize::from(width)).collect();
            assert!(too_long.is_empty(), "{width}: {too_long:#?}");
        }
    }
    insta::assert_snapshot!("load_60", loaded(&sample::steady(), 60));
    insta::assert_snapshot!("prove_60", proved(&sample::class_map(), 60));
    insta::assert_snapshot!("load_80", loaded(&sample::overloaded(), 80));
    insta::assert_snapshot!("prove_80", proved(&sample::five_patches(), 80));
    insta::assert_snapshot!("load_200", loaded(&sample::steady(), 200));
    insta::assert_snapshot!("prove_200", proved(&sample::class_map(), 200));
}

#[test]
fn colours_change_no_column() {
    let mut out = Vec::new();
    Text.write(Report::Prove(&sample::class_map()), Style { colour: true, ..Style::plain(100) }, &mut out).unwrap();
    Text.write(Report::Load(&sample::overloaded()), Style { colour: true, ..Style::plain(100) }, &mut out).unwrap();
    let coloured = String::from_utf8(out).unwrap();
    let mut plain = String::new();
    for (index, part) in coloured.split('\u{1b}').enumerate() {
        plain.push_str(if index == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    let plain: Vec<&str> = plain.lines().map(str::trim_end).collect();
    let expected = proved(&sample::class_map(), 100) + &loaded(&sample::overloaded(), 100);
    assert_eq!(plain, expected.lines().collect::<Vec<_>>());
}

/// `unladen fix 1` was printed for runs that it does not know, or that are not its latest.
#[test]
fn a_fix_is_told_for_the_run_that_has_it() {
    let mut weigh = sample::found_inside();
    let inside = weigh.pages[0].inside.as_mut().unwrap();
    inside.findings[0].check_again = format!("{}[[knob]]\n", unladen_document::Finding::EXPERIMENT);
    let said = |fix: Option<FixCommand>, details: bool| {
        let mut out = Vec::new();
        Text.write(Report::Weigh(&weigh), Style { details, fix, ..Style::plain(100) }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    for details in [false, true] {
        let latest = said(Some(FixCommand { is_root: false, run: None }), details);
        assert!(latest.contains(" unladen fix 1") && !latest.contains("sudo"), "{latest}");
        let earlier = said(Some(FixCommand { is_root: true, run: NonZeroU64::new(12) }), details);
        assert!(earlier.contains("sudo unladen fix --run 12 1"), "{earlier}");
        assert!(!said(None, details).contains("unladen fix"));
    }
    assert!(said(None, true).contains("unladen prove try.toml"));
}

/// The escape sequences of a sentence stood in the text as `[1m`.
#[test]
fn colours_leave_no_rest_on_the_first_screens() {
    let written = |colour: bool| {
        let style = Style { colour, details: false, ..Style::plain(80) };
        let mut out = Vec::new();
        Text.write(Report::Weigh(&sample::found_inside()), style, &mut out).unwrap();
        Text.write(Report::Prove(&sample::class_map()), style, &mut out).unwrap();
        Text.write(Report::Load(&sample::steady()), style, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let mut plain = String::new();
    for (index, part) in written(true).split('\u{1b}').enumerate() {
        plain.push_str(if index == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(trimmed(&plain), trimmed(&written(false)));
}

proptest! {
    #[test]
    fn filling_loses_no_word_and_keeps_the_width(words in proptest::collection::vec("[a-z]{1,12}", 1..60), width in 12_usize..80) {
        let text = words.join(" ");
        let lines = fill(&text, width, Style::plain(100));
        prop_assert_eq!(lines.join(" "), text);
        prop_assert!(lines.iter().all(|line| line.chars().count() <= width));
    }
}

fn loaded(result: &LoadDocument, width: u16) -> String {
    let mut out = Vec::new();
    Text.write(Report::Load(result), Style::plain(width), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_steady_load_reads_like_this_and_fits_a_screen() {
    let text = loaded(&sample::steady(), 100);
    assert!(text.lines().count() <= 40, "{}", text.lines().count());
    insta::assert_snapshot!(text);
}

#[test]
fn an_experiment_from_hosts_tells_them_first() {
    let text = proved(&sample::class_map_from_hosts(), 100);
    let head: Vec<&str> = text.lines().take(10).collect();
    insta::assert_snapshot!("prove_from_hosts", head.join("\n"));
}

#[test]
fn lost_records_are_not_told_as_the_generators_figures() {
    let mut load = sample::from_hosts();
    load.agents.truncate(1);
    let unfit = Unfit::Unrecorded { requests: 12_400 };
    (load.agents[0].unrecorded, load.agents[0].fit) = (12_400, false);
    load.agents[0].unfit = vec![unfit.to_string()];
    sample::set_unfit(&mut load, &[Unfit::Agent { name: "gen1".into(), unfit: Box::new(unfit) }]);
    let text = loaded(&load, 100);
    assert!(text.contains("UNFIT: records were lost."), "{text}");
    assert!(text.contains("agent gen1: records of 12,400 requests were lost"), "{text}");
    assert!(!text.contains("not the server's"), "{text}");
}

#[test]
fn a_load_from_hosts_reads_like_this() {
    let load = LoadDocument { timeline: Vec::new(), distribution: Vec::new(), ..sample::from_hosts() };
    insta::assert_snapshot!(loaded(&load, 120));
    insta::assert_snapshot!("from_hosts_80", loaded(&load, 80));
}

#[test]
fn an_overloaded_server_reads_like_this() {
    insta::assert_snapshot!(loaded(&sample::overloaded(), 100));
}

#[test]
fn a_search_reads_like_this() {
    insta::assert_snapshot!(loaded(&sample::searched(), 100));
}

fn proved(result: &ProveDocument, width: u16) -> String {
    let mut out = Vec::new();
    Text.write(Report::Prove(result), Style::plain(width), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// What its interval calls a change was counted among what is the same, without its figures.
#[test]
fn a_weight_within_the_floor_that_its_interval_tells_was_hidden() {
    let mut result = sample::class_map();
    let lists = |result: &ProveDocument| proved(result, 140).contains("no measurable difference, per request");
    assert!(!lists(&result));
    let is_one = |comparison: &&mut Comparison| comparison.kind() == Metric::Weight && comparison.excludes_no_change();
    result.comparisons.iter_mut().find(is_one).unwrap().verdict = Change::Equal.as_str(Metric::Weight).to_owned();
    assert!(lists(&result), "{}", proved(&result, 140));
}

#[test]
fn a_change_against_none_reads_like_this() {
    insta::assert_snapshot!(proved(&sample::class_map(), 100));
}

#[test]
fn each_alone_reads_like_this() {
    insta::assert_snapshot!(proved(&sample::each_alone(), 100));
}

#[test]
fn five_patches_read_like_this() {
    insta::assert_snapshot!(proved(&sample::five_patches(), 100));
}

#[test]
fn a_factorial_design_reads_like_this() {
    insta::assert_snapshot!(proved(&sample::two_knobs(), 100));
}

/// All that text is made of, by name.
fn all(style: Style) -> Vec<(&'static str, String)> {
    let text = |write: &dyn Fn(&mut Vec<u8>) -> io::Result<()>| {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let mut texts = Vec::new();
    for (name, result) in [
        ("one page", sample::one_page()),
        ("two pages", sample::two_pages()),
        ("on the path", sample::on_the_path()),
        ("found inside", sample::found_inside()),
        ("nothing follows", sample::nothing_follows()),
    ] {
        texts.push((name, text(&|out| Text.write(Report::Weigh(&result), style, out))));
    }
    texts.push(("inside", text(&|out| Text.write(Report::Inside(&[sample::inside()], &About::default()), style, out))));
    for (name, result) in
        [("steady", sample::steady()), ("overloaded", sample::overloaded()), ("searched", sample::searched())]
    {
        texts.push((name, text(&|out| Text.write(Report::Load(&result), style, out))));
    }
    for (name, result) in [
        ("class map", sample::class_map()),
        ("five patches", sample::five_patches()),
        ("two knobs", sample::two_knobs()),
        ("each alone", sample::each_alone()),
    ] {
        texts.push((name, text(&|out| Text.write(Report::Prove(&result), style, out))));
    }
    for (name, result) in [("profiled", sample::profiled()), ("from a file", sample::from_file())] {
        texts.push((name, text(&|out| Text.write(Report::Profile(&result), style, out))));
    }
    for (name, result) in [("diff", sample::profile_diff()), ("diff of files", sample::diff_of_files())] {
        texts.push((name, text(&|out| Text.write(Report::ProfileDiff(&result), style, out))));
    }
    texts
}

/// What is copied, and would be another command or setting if it were broken: it may be as long as it is.
fn is_copied(line: &str) -> bool {
    let inside = sample::inside();
    let found = sample::found_inside();
    let found = found.pages.iter().filter_map(|page| page.inside.as_ref());
    let profiled = sample::profiled();
    let of_pages = found.chain([&inside]).flat_map(|inside| &inside.findings);
    let copied = of_pages.chain(&profiled.document.findings).flat_map(|finding| {
        let fix = &finding.fix;
        let also = fix.also.iter().flat_map(|part| &part.lines);
        let lines = fix.lines.iter().chain(&fix.commands).chain(also).map(String::as_str);
        lines.chain(finding.check_again.lines()).collect::<Vec<_>>()
    });
    let is_one_word =
        line.trim_start().split("  ").last().is_some_and(|word| word.contains('/') && !word.contains(' '));
    let steps = inside.next_step.iter().map(|step| step.command.as_str());
    is_one_word || copied.into_iter().chain(steps).any(|copied| !copied.is_empty() && line.ends_with(copied.trim()))
}

#[test]
fn every_text_fits_its_width() {
    // A terminal of ASCII alone has 80 columns.
    let ascii = [80, 120].map(|width| Style { ascii: true, ..Style::plain(width) });
    for style in [60, 80, 120].map(Style::plain).into_iter().chain(ascii) {
        let Style { width, .. } = style;
        for (name, text) in all(style) {
            let long = text.lines().filter(|line| line.chars().count() > usize::from(width) && !is_copied(line));
            let long: Vec<&str> = long.collect();
            assert!(long.is_empty(), "{name}, {style:?}: {long:#?}");
        }
    }
}

/// Connections by the million, and quantiles without an interval: the columns of both kinds of them were cut by the
/// terminal.
#[test]
fn a_load_of_millions_fits_its_width() {
    let mut load = sample::steady();
    (load.planned, load.requests) = (2_469_134, 2_469_134);
    for by in [&mut load.new_connections, &mut load.reused_connections].into_iter().flatten() {
        by.requests = 1_234_567;
        by.latency_intervals_ns.clear();
    }
    for width in [60, 80, 100, 120] {
        let text = loaded(&load, width);
        let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > usize::from(width)).collect();
        assert!(long.is_empty(), "{width}: {long:#?}");
    }
}

/// `caf?` is a pattern of the shell, and another file.
#[test]
fn in_ascii_what_is_copied_keeps_all_its_characters() {
    let mut inside = sample::inside();
    let finding = &mut inside.findings[0];
    finding.summary = "412 file checks in /srv/café → 3".into();
    finding.fix = Fix {
        advice: "let the cache of /srv/café answer".into(),
        file: Some("/etc/café/php.ini".into()),
        lines: vec!["open_basedir = /srv/café".into()],
        also: vec![FixPart { file: "/etc/crème.conf".into(), lines: vec!["include = /srv/crème".into()] }],
        commands: vec!["systemctl restart php@café".into()],
        ..Fix::default()
    };
    finding.check_again = "unladen weigh http://127.0.0.1/café\nand /srv/brûlée".into();
    let mut out = Vec::new();
    Text.write(Report::Inside(&[inside], &About::default()), Style { ascii: true, ..Style::plain(80) }, &mut out)
        .unwrap();
    let text = String::from_utf8(out).unwrap();
    for copied in [
        "into /etc/café/php.ini:\n",
        "    open_basedir = /srv/café\n",
        "$ systemctl restart php@café\n",
        "into /etc/crème.conf:\n",
        "    include = /srv/crème\n",
        "unladen weigh http://127.0.0.1/café\n",
        "    and /srv/brûlée\n",
    ] {
        assert!(text.contains(copied), "{copied}: {text}");
    }
    assert!(text.contains("in /srv/caf? -> 3") && text.contains("cache of /srv/caf? answer"), "{text}");
}

#[test]
fn in_ascii_every_text_is_ascii_and_its_columns_stand_as_before() {
    let unknown = |text: &str| text.matches('?').count();
    for ((name, text), (_, full)) in all(Style { ascii: true, ..Style::plain(80) }).iter().zip(all(Style::plain(80))) {
        assert!(text.is_ascii(), "{name}: {text}");
        assert_eq!(unknown(text), unknown(&full), "something has no stand-in: {name}: {text}");
    }
    let mut out = Vec::new();
    Text.write(Report::Weigh(&sample::one_page()), Style { ascii: true, ..Style::plain(80) }, &mut out).unwrap();
    insta::assert_snapshot!("weigh_ascii_80", String::from_utf8(out).unwrap());
    insta::assert_snapshot!("weigh_80", {
        let mut out = Vec::new();
        Text.write(Report::Weigh(&sample::one_page()), Style::plain(80), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    });
}

/// A right-to-left override in a statement turned the rest of its line.
#[test]
fn a_name_from_outside_neither_steers_nor_turns_a_line() {
    assert_eq!(clean("a\u{1b}[31m\u{202e}b\u{2066}c\u{200f}"), "a [31m b c ");
    assert_eq!(clean("فارسی é 日本"), "فارسی é 日本");
}

fn screen(result: &Weigh, width: u16) -> String {
    let mut out = Vec::new();
    let style = Style { details: false, ..Style::plain(width) };
    Text.write(Report::Weigh(result), style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// An answer was 114 lines.
#[test]
fn the_first_screen_reads_like_this_and_fits_80_by_24() {
    let samples = [
        ("screen_one_page", sample::one_page()),
        ("screen_findings", sample::found_inside()),
        ("screen_on_the_path", sample::on_the_path()),
        ("screen_nothing_follows", sample::nothing_follows()),
        ("screen_over_hosts", sample::over_hosts()),
        ("screen_two_pages", sample::two_pages()),
    ];
    for (name, result) in samples {
        let text = screen(&result, 80);
        let too_long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(too_long.is_empty(), "{too_long:#?}");
        assert!(text.lines().count() <= 24 * result.pages.len(), "{name}: {} lines\n{text}", text.lines().count());
        insta::assert_snapshot!(name, text);
    }
}

/// Many long warnings, groups and findings made it 34 lines.
#[test]
fn the_first_screen_of_much_fits_80_by_24() {
    let mut result = sample::found_inside();
    result.run.warnings = vec!["a warning of many words, ".repeat(12); 6];
    let page = &mut result.pages[0];
    let row = page.weights.iter().find(|row| row.counter == "cpu").unwrap().clone();
    page.weights.extend((0..9).map(|number| Weight { group: format!("worker{number}.service"), ..row.clone() }));
    page.url.path.groups.extend((0..5).map(|number| format!("hidden{number}.service")));
    let inside = page.inside.as_mut().unwrap();
    let one = Finding { summary: "a summary of many words, ".repeat(12), ..inside.findings[0].clone() };
    inside.findings.extend(vec![one; 9]);
    let text = screen(&result, 80);
    assert!(text.lines().count() <= 24, "{} lines\n{text}", text.lines().count());
    assert!(text.contains("and 11: ") && text.contains("and 5 more\nwarnings"), "{text}");
    insta::assert_snapshot!("screen_of_much", text);
}

/// The verdict of a proof stood below 115 lines of tables.
#[test]
fn the_first_screen_of_a_proof_reads_like_this_and_fits_80_by_24() {
    let unclear = {
        let mut prove = sample::class_map();
        (prove.counted, prove.not_counted) = (Vec::new(), Some("tracing needs root".into()));
        prove.comparisons.retain(|one| one.kind() == Metric::Latency);
        prove.comparisons.iter_mut().for_each(|one| one.verdict = "unclear".into());
        prove
    };
    let samples = [
        ("proof_class_map", ProveDocument { gates: Vec::new(), ..sample::class_map() }),
        ("proof_two_knobs", sample::two_knobs()),
        ("proof_unclear", unclear),
    ];
    for (name, result) in samples {
        let mut out = Vec::new();
        let style = Style { details: false, ..Style::plain(80) };
        Text.write(Report::Prove(&result), style, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let too_long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(too_long.is_empty(), "{too_long:#?}");
        assert!(text.lines().count() <= 24, "{name}: {} lines\n{text}", text.lines().count());
        insta::assert_snapshot!(name, text);
    }
}

#[test]
fn the_first_screen_of_a_load_says_first_whether_all_were_answered_and_fits_80_by_24() {
    for (name, result) in [("load_screen_steady", sample::steady()), ("load_screen_searched", sample::searched())] {
        let mut out = Vec::new();
        let style = Style { details: false, ..Style::plain(80) };
        Text.write(Report::Load(&result), style, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(text.lines().count() <= 24, "{name}: {} lines\n{text}", text.lines().count());
        insta::assert_snapshot!(name, text);
    }
}
