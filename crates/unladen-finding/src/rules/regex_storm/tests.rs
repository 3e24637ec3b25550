use super::RULE;
use crate::rules::tests::testing::{called, function, profile};

#[test]
fn opcodes_and_libraries_of_regular_expressions() {
    let found = RULE.check(&profile(vec![called(
        "Sympa::Scenario::CORE:match",
        0.2,
        0.2,
        490_000.0,
        "Sympa::Scenario::verify",
    )]));
    assert!(found[0].summary.starts_with("490,000 calls per request"));
    let mut native = function("pcre2_match_8", 0.2, 0.2);
    native.file = "/usr/lib/x86_64-linux-gnu/libpcre2-8.so.0".into();
    assert_eq!(RULE.check(&profile(vec![native])).len(), 1);
}

#[test]
fn other_opcodes_and_small_parts_are_none() {
    assert_eq!(RULE.check(&profile(vec![function("A::CORE:sort", 0.2, 0.2)])), []);
    assert_eq!(RULE.check(&profile(vec![function("A::CORE:match", 0.04, 0.04)])), []);
}
