use super::RULE;
use crate::rules::tests::testing::{called, caller, function, profile};

#[test]
fn sympa_copies_the_settings_of_each_list() {
    let mut copy = called("Sympa::Tools::Data::clone_var", 0.2, 0.33, 100_000.0, "Sympa::Tools::Data::clone_var");
    copy.callers.push(caller("Sympa::List::load", 300.0));
    let found = RULE.check(&profile(vec![copy]));
    assert!(found[0].summary.contains("take 33.0 ± 1.0 % of a request"));
    assert!(found[0].fix.advice.contains("Sympa::List::load gets a full copy"), "not itself, which calls itself");
}

#[test]
fn names_that_only_begin_like_it_are_none() {
    assert_eq!(RULE.check(&profile(vec![function("Git::clone_url", 0.2, 0.3)])), []);
    assert_eq!(RULE.check(&profile(vec![function("A::clone", 0.01, 0.05)])), [], "too small a part");
}
