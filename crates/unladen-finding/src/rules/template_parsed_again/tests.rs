use unladen_trace::{Evidence, State};

use super::RULE;
use crate::rules::tests::testing::{function, profile};

#[test]
fn template_toolkit_parses_in_each_request() {
    let evidence = profile(vec![function("Template::Parser::parse", 0.01, 0.31)]);
    let found = RULE.check(&evidence);
    assert_eq!(found[0].summary, "Template::Parser::parse takes 31.0 ± 1.0 % of a request");
    assert!(found[0].fix.advice.contains("Template::Provider"));
}

#[test]
fn a_fresh_process_parses_once() {
    let evidence = Evidence { state: State::Fresh, ..profile(vec![function("Template::Parser::parse", 0.01, 0.31)]) };
    assert_eq!(RULE.check(&evidence), []);
    assert_eq!(RULE.check(&profile(vec![function("My::Parser::parse", 0.01, 0.31)])), []);
}
