use super::*;
use unladen_finding::RULES;

/// GitHub's list of what it needs of a rule; `fullDescription` was missing, and `help` of conditions.
#[test]
fn each_rule_says_what_it_is_and_what_to_do() {
    let others = ["fail-on", "worse", "classmap-out-of-date", "class-misplaced", "a rule of tomorrow"];
    let ids = RULES.iter().map(|rule| rule.name()).chain(others);
    for id in ids {
        let rule = rule(id);
        let texts = [&rule.short_description.text, &rule.full_description.text, &rule.help.text];
        assert!(texts.iter().all(|text| text.len() > 10), "{id}: {rule:?}");
        assert!(
            rule.full_description.text.len() <= 1024 && !rule.full_description.text.contains(['\n', '*']),
            "{id}: {rule:?}"
        );
    }
}

#[test]
fn links_to_pages_that_are_elsewhere_are_text() {
    assert_eq!(
        without_links("See [serve](../serve.md) and [lines\nto copy](a.md#b), `[[site]]`, [RFC](https://a/b)."),
        "See serve and lines\nto copy, `[[site]]`, [RFC](https://a/b)."
    );
    assert_eq!(without_links("](a) b [c](d"), "](a) b [c](d");
    let all = RULES.iter().map(|rule| without_links(rule.page()));
    assert!(all.into_iter().all(|page| !page.contains(".md)")));
}
