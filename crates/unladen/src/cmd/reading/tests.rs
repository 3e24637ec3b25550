use unladen_finding::RULES;

use super::*;

fn read(page: &str, width: u16) -> String {
    readable(page, Style { width, colour: false, ascii: false, details: false, fix: None })
}

#[test]
fn a_page_is_filled_and_has_no_markup() {
    let page = "# a-rule: what it is\n\n**What.** See [the other](other.md), [PHP](https://php.example/a),\nand *more `a`*: `a * b` 2 * 3.\n\
                - one two three four five six\n  seven\n- `x**2` stays\n\n    code  stays, **as it is**\n";
    let expected = "a-rule: what it is\n\nWhat. See the other, PHP\n(https://php.example/a), and more\n`a`: `a * b` 2 * 3.\n\
                    - one two three four five six\n  seven\n- `x**2` stays\n\n    code  stays, **as it is**\n";
    assert_eq!(read(page, 34), expected);
}

#[test]
fn each_rule_fits_its_terminal() {
    for rule in RULES {
        let text = read(rule.page(), 80);
        assert!(!text.contains("](") && !text.contains("**What"), "{text}");
        let long = text.lines().find(|line| {
            let is_prose = !line.starts_with("    ") && !line.starts_with('|') && line.contains(' ');
            is_prose && line.chars().count() > 80
        });
        assert!(long.is_none_or(|line| line.split(' ').any(|word| word.len() > 60)), "{}: {long:?}", rule.name());
    }
}
