use super::*;
use crate::compare::compare;
use crate::run::History;

/// A weighing that found these: rule and statements per request; and rules that could not look.
fn run(found: &[(&str, f64)], not_looked: &[&str]) -> Document {
    let finding = |(rule, count): &(&str, f64)| {
        serde_json::json!({"url": "http://a/", "rule": rule, "group": "php", "state": "warm", "summary": format!("{rule} of {count}"),
            "evidence": {"figures": [{"name": "statements", "unit": "1", "per_request": count, "low": count * 0.999, "high": count * 1.001}]}})
    };
    let value = serde_json::json!({
        "schema": "unladen.weigh/1", "target": "http://a/", "urls": [{"url": "http://a/"}],
        "findings": found.iter().map(finding).collect::<Vec<_>>(),
        "not_looked_for": [{"url": "http://a/", "rules": not_looked}],
    });
    Document::read(value.to_string().as_bytes()).unwrap()
}

fn verdicts(before: &Document, after: &Document, history: &History) -> Vec<(String, FindingVerdict)> {
    compare(before, after, history).findings.into_iter().map(|found| (found.rule, found.verdict)).collect()
}

#[test]
fn findings_are_gone_new_or_still_there() {
    let before = run(&[("old", 4.0), ("same", 10.0), ("more", 10.0), ("less", 10.0)], &[]);
    let after = run(&[("same", 10.01), ("more", 20.0), ("less", 5.0), ("late", 1.0)], &[]);
    let expected = [
        ("same", FindingVerdict::StillThere),
        ("more", FindingVerdict::Heavier),
        ("less", FindingVerdict::Lighter),
        ("late", FindingVerdict::New),
        ("old", FindingVerdict::Gone),
    ];
    assert_eq!(verdicts(&before, &after, &History::new()), expected.map(|(rule, verdict)| (rule.to_owned(), verdict)));
    let gone = &compare(&before, &after, &History::new()).findings[4];
    assert_eq!((gone.before.unwrap().value, gone.after, gone.counted.as_str()), (4.0, None, "statements"));
}

#[test]
fn what_was_not_looked_for_is_not_gone() {
    let (before, after) = (run(&[("old", 4.0)], &[]), run(&[], &["old"]));
    let found = &compare(&before, &after, &History::new()).findings[0];
    assert_eq!(found.verdict, FindingVerdict::NotLookedFor);
    assert_eq!(found.why.as_deref(), Some("the later run did not look for it: see its `not_looked_for`"));
}

/// The gate of a branch failed by a rule that main's run had looked with, and could not tell.
#[test]
fn what_was_not_judged_was_new() {
    let not_judged = |value: serde_json::Value| {
        let mut document = serde_json::to_value(run(&[], &[])).unwrap();
        document["not_judged"] = serde_json::json!([value]);
        Document::read(document.to_string().as_bytes()).unwrap()
    };
    let after = run(&[("sleep", 1.0)], &[]);
    let verdict = |before: &Document| compare(before, &after, &History::new()).findings[0].verdict;
    let of_all = serde_json::json!({"url": "http://a/", "what": "php, on the path", "rules": ["sleep"]});
    assert_eq!(verdict(&not_judged(of_all)), FindingVerdict::NotLookedFor);
    let uncertain = |what: &str, rule: &str| {
        not_judged(serde_json::json!({"url": "http://a/", "what": what, "rules": [rule], "uncertain": true}))
    };
    assert_eq!(verdict(&uncertain("php", "sleep")), FindingVerdict::NotLookedFor);
    assert_eq!(verdict(&uncertain("php", "n-plus-one")), FindingVerdict::New);
    assert_eq!(verdict(&uncertain("another", "sleep")), FindingVerdict::New);
    let elsewhere = serde_json::json!({"url": "http://a/", "what": "db", "rules": ["sleep"], "elsewhere": true});
    assert_eq!(verdict(&not_judged(elsewhere)), FindingVerdict::New);
    let mut of_answers = serde_json::to_value(&after).unwrap();
    of_answers["findings"][0]["group"] = "".into();
    let of_answers = Document::read(of_answers.to_string().as_bytes()).unwrap();
    let page = uncertain("the page's answers", "sleep");
    assert_eq!(compare(&page, &of_answers, &History::new()).findings[0].verdict, FindingVerdict::NotLookedFor);
    let found = &compare(&uncertain("php", "sleep"), &after, &History::new()).findings[0];
    assert_eq!(found.why.as_deref(), Some("the earlier run could not judge it: see its `not_judged`"));
}

#[test]
fn what_comes_and_goes_is_no_news() {
    let (with, without) = (run(&[("rare", 1.0)], &[]), run(&[], &[]));
    let history: History = [&with, &without, &with, &without].into_iter().collect();
    let found = &compare(&with, &without, &history).findings[0];
    assert_eq!(found.verdict, FindingVerdict::ComesAndGoes);
    assert_eq!(found.why.as_deref(), Some("2 of 4 other runs had it, without a trend"));
    let steady: History = [&with, &with, &with].into_iter().collect();
    assert_eq!(verdicts(&with, &without, &steady)[0].1, FindingVerdict::Gone);
}

/// Who does not follow the requests for certain is not traced, and all that the next run finds there seemed new.
#[test]
fn what_a_run_that_traced_nothing_does_not_have_is_not_new() {
    let traced = |found: &[(&str, f64)], counts: serde_json::Value| {
        let finding = |(rule, count): &(&str, f64)| {
            serde_json::json!({"url": "http://a/", "rule": rule, "group": "php", "state": "warm", "summary": rule,
                "evidence": {"figures": [{"name": "sleeps", "unit": "1", "per_request": count, "low": count, "high": count}]}})
        };
        let value = serde_json::json!({
            "schema": "unladen.weigh/1", "target": "http://a/", "urls": [{"url": "http://a/"}],
            "findings": found.iter().map(finding).collect::<Vec<_>>(), "counts": counts,
        });
        Document::read(value.to_string().as_bytes()).unwrap()
    };
    let some = serde_json::json!([{"url": "http://a/", "state": "warm", "group": "php", "counter": "syscalls",
        "per_request": 8.0, "low": 8.0, "high": 8.0, "noise_floor": 0.0, "invalid": false}]);
    let (without, with) = (traced(&[], serde_json::json!([])), traced(&[("sleep", 1.0)], some.clone()));
    let found = &compare(&without, &with, &History::new()).findings[0];
    assert_eq!(found.verdict, FindingVerdict::NotLookedFor);
    assert_eq!(found.why.as_deref(), Some("the earlier run traced nothing of php"));
    let (without, with) = (traced(&[], some.clone()), traced(&[("sleep", 1.0)], some));
    assert_eq!(verdicts(&without, &with, &History::new())[0].1, FindingVerdict::New);
}
