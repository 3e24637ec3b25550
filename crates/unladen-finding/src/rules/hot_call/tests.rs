use super::RULE;
use crate::rules::tests::testing::{called, function, profile};

#[test]
fn a_loop_over_lists_calls_its_helper_for_each() {
    let found = RULE.check(&profile(vec![called("Sympa::List::new", 0.01, 0.4, 50_846.0, "Sympa::List::get_lists")]));
    assert_eq!(found[0].summary, "50,846 calls per request of Sympa::List::new take 40.0 ± 1.0 % of a request");
    assert!(found[0].fix.advice.ends_with("in Sympa::List::get_lists, before the loop"));
    assert_eq!(found[0].items[0].per_request, 50_846.0);
}

#[test]
fn what_all_the_code_calls_is_no_loop() {
    let mut helper = called("Log::get", 0.1, 0.4, 1_000.0, "A::a");
    helper.callers[0].calls = Some(400.0);
    assert_eq!(RULE.check(&profile(vec![helper])), []);
}

#[test]
fn few_calls_small_parts_and_opcodes_are_none() {
    for function in [
        called("A::a", 0.1, 0.4, 200.0, "B::b"),
        called("A::a", 0.01, 0.05, 2_000.0, "B::b"),
        called("A::CORE:match", 0.1, 0.4, 2_000.0, "B::b"),
        function("A::a", 0.1, 0.4),
    ] {
        assert_eq!(RULE.check(&profile(vec![function])), []);
    }
}

#[test]
fn the_body_of_a_loop_is_told_once_and_a_part_of_it_by_itself() {
    let functions = vec![
        called("List::new", 0.1, 0.9, 300.0, "List::all"),
        called("List::load", 0.1, 0.85, 300.0, "List::new"),
        called("List::read", 0.1, 0.8, 300.0, "List::load"),
        called("languages", 0.1, 0.34, 300.0, "List::read"),
        called("clone_var", 0.1, 0.33, 300.0, "List::read"),
        called("apart", 0.1, 0.07, 300.0, "page"),
    ];
    let found = RULE.check(&profile(functions));
    let names: Vec<&str> = found.iter().filter_map(|one| one.summary.split(' ').nth(5)).collect();
    assert_eq!(names, ["List::new", "languages", "apart"], "copying is told by clone-storm");
}

#[test]
fn functions_that_call_each_other_end() {
    let functions = vec![called("a", 0.1, 0.9, 300.0, "b"), called("b", 0.1, 0.9, 300.0, "a")];
    assert_eq!(RULE.check(&profile(functions)).len(), 1);
}
