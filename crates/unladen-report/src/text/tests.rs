use super::bar::bar;
use super::prose::fill;
use super::*;
use crate::sample;
use proptest::prelude::*;

fn written(result: &Weigh) -> String {
    let mut out = Vec::new();
    Text.weigh(result, Style::plain(100), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn one_page_reads_like_this() {
    insta::assert_snapshot!(written(&sample::one_page()));
}

#[test]
fn two_pages_compare_like_this() {
    insta::assert_snapshot!(written(&sample::two_pages()));
}

#[test]
fn findings_read_like_this() {
    insta::assert_snapshot!(written(&sample::found_inside()));
}

#[test]
fn what_an_earlier_run_kept_reads_like_this() {
    let mut out = Vec::new();
    Text.inside(&[sample::inside()], Style::plain(80), &mut out).unwrap();
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
    Text.weigh(&sample::one_page(), Style { width: 100, colour: true }, &mut out).unwrap();
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
    Text.prove(&sample::class_map(), Style { width: 100, colour: true }, &mut out).unwrap();
    Text.load(&sample::overloaded(), Style { width: 100, colour: true }, &mut out).unwrap();
    let coloured = String::from_utf8(out).unwrap();
    let mut plain = String::new();
    for (index, part) in coloured.split('\u{1b}').enumerate() {
        plain.push_str(if index == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    let plain: Vec<&str> = plain.lines().map(str::trim_end).collect();
    let expected = proved(&sample::class_map(), 100) + &loaded(&sample::overloaded(), 100);
    assert_eq!(plain, expected.lines().collect::<Vec<_>>());
}

proptest! {
    #[test]
    fn filling_loses_no_word_and_keeps_the_width(words in proptest::collection::vec("[a-z]{1,12}", 1..60), width in 12_usize..80) {
        let text = words.join(" ");
        let lines = fill(&text, width);
        prop_assert_eq!(lines.join(" "), text);
        prop_assert!(lines.iter().all(|line| line.chars().count() <= width));
    }
}

fn loaded(result: &Load, width: u16) -> String {
    let mut out = Vec::new();
    Text.load(result, Style::plain(width), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_steady_load_reads_like_this_and_fits_a_screen() {
    let text = loaded(&sample::steady(), 100);
    assert!(text.lines().count() <= 40, "{}", text.lines().count());
    insta::assert_snapshot!(text);
}

#[test]
fn an_overloaded_server_reads_like_this() {
    insta::assert_snapshot!(loaded(&sample::overloaded(), 100));
}

#[test]
fn a_search_reads_like_this() {
    insta::assert_snapshot!(loaded(&sample::searched(), 100));
}

fn proved(result: &Prove, width: u16) -> String {
    let mut out = Vec::new();
    Text.prove(result, Style::plain(width), &mut out).unwrap();
    String::from_utf8(out).unwrap()
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
