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
fn five_patches_read_like_this() {
    insta::assert_snapshot!(proved(&sample::five_patches(), 100));
}

#[test]
fn a_factorial_design_reads_like_this() {
    insta::assert_snapshot!(proved(&sample::two_knobs(), 100));
}
