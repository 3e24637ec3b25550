use super::*;
use crate::html::tests::comparison;

#[test]
fn a_comparison_reads_like_this() {
    insta::assert_snapshot!(comparison_text(&comparison()));
}

#[test]
fn runs_that_do_not_compare_say_why_and_steer_no_terminal() {
    let none = Comparison { comparable: Comparable::No(vec!["one is a \u{1b}[31mload".into()]), ..comparison() };
    let text = comparison_text(&none);
    assert!(text.ends_with("not comparable: one is a ␛[31mload\n"), "{text}");
}
