use unladen_document::{Count, WeighedUrl, Weight};
use unladen_report::Inside;

use super::*;

const PHP: &str = "www-data php-fpm8.2";

fn count(group: &str, counter: &str, per_request: f64) -> Count {
    let (low, high) = (per_request - 1.0, per_request + 1.0);
    let (group, counter, state) = (group.to_owned(), counter.to_owned(), WARM.to_owned());
    Count { group, counter, state, per_request, low, high, ..Count::default() }
}

fn result() -> Weigh {
    let total_cpu_ns = Some(Span { value: 40e6, low: 38e6, high: 42e6 });
    let mut url = WeighedUrl { url: "http://a/".to_owned(), total_cpu_ns, ..WeighedUrl::default() };
    url.path.groups = vec![PHP.to_owned(), "nginx".to_owned()];
    let counts = vec![
        count(PHP, "files.checked", 100.0),
        count("nginx", "files.checked", 2.0),
        count("cron", "files.checked", 900.0),
        Count { state: "fresh".to_owned(), ..count(PHP, "files.checked", 5000.0) },
    ];
    let weight = Weight {
        group: PHP.to_owned(),
        counter: "cpu".to_owned(),
        per_request: 30e6,
        low: 29e6,
        high: 31e6,
        on_path: true,
        ..Weight::default()
    };
    let nginx = Weight { group: "nginx".to_owned(), per_request: 10e6, low: 9e6, high: 11e6, ..weight.clone() };
    let weights = vec![Weight { follows: true, ..weight }, Weight { follows: true, ..nginx }];
    let inside = Some(Inside { requests: 40, counts, ..Inside::default() });
    Weigh { pages: vec![WeighedPage { url, weights, inside, ..WeighedPage::default() }], ..Weigh::default() }
}

fn judged(text: &str, result: &Weigh) -> (bool, bool, String) {
    let gate = WeightGate::read(text).unwrap().unwrap().judge(result).next().unwrap();
    assert_eq!((gate.url.as_str(), gate.condition.as_str()), ("http://a/", text));
    (gate.broken, gate.untold, gate.found)
}

#[test]
fn a_page_fails_where_all_of_an_interval_is_above_the_bound() {
    let result = result();
    let of = |text: &str| judged(text, &result);
    assert_eq!(of("cpu > 37ms"), (true, false, "40.0 ± 2.0 ms".to_owned()));
    assert_eq!(of("cpu > 41 ms"), (false, true, "40.0 ± 2.0 ms".to_owned()), "undecided");
    assert!(!of("cpu > 1s").0 && !of("cpu > 1s").1);
    assert!(of("cpu www-data php-fpm8.2 > 28ms").0 && of("weight.cpu www-data php-fpm8.2 > 28ms").0);
    // Of the groups on the path, in requests of warm processes.
    assert_eq!(of("files.checked > 99"), (true, false, "102.0 ± 2.0".to_owned()));
    assert_eq!(of("files.checked > 104"), (false, false, "102.0 ± 2.0".to_owned()));
    // Nothing of the kind was done.
    assert_eq!(of("sql.statements > 0"), (false, false, "0 ± 0".to_owned()));
}

#[test]
fn what_was_not_measured_is_no_pass() {
    let (broken, _, found) = judged("cpu www-data php > 28ms", &result());
    assert!(broken && found.contains(PHP), "{found}");
    let mut blind = result();
    blind.pages[0].inside = None;
    blind.pages[0].url.total_cpu_ns = None;
    assert!(judged("cpu > 1s", &blind).0 && judged("files.checked > 1000", &blind).0);
    let mut lossy = result();
    lossy.pages[0].inside.as_mut().unwrap().lost = 3;
    assert!(judged("files.checked > 1000", &lossy).2.contains("3 events were lost"));
}

#[test]
fn a_bound_that_unseen_work_may_break_is_no_pass() {
    let mut noisy = result();
    noisy.pages[0].weights[1] = Weight { follows: false, high: 20e6, ..noisy.pages[0].weights[1].clone() };
    assert_eq!(judged("cpu > 60ms", &noisy), (false, true, "40.0 ± 2.0 ms".to_owned()), "nginx may bring 20 ms");
    assert_eq!(judged("cpu > 63ms", &noisy), (false, false, "40.0 ± 2.0 ms".to_owned()));
    noisy.pages[0].weights.pop();
    assert!(judged("cpu > 1h", &noisy).1, "nginx was not weighed at all");

    let part = |rule: &str| NotJudged {
        what: "the database".to_owned(),
        why: "its connection is encrypted".to_owned(),
        rules: vec![rule.to_owned()],
        ..NotJudged::default()
    };
    let with = |part: NotJudged| {
        let mut result = result();
        result.pages[0].inside.as_mut().unwrap().not_judged.push(part);
        result
    };
    let encrypted = with(part("n-plus-one"));
    let (broken, _, found) = judged("sql.statements > 20", &encrypted);
    assert!(broken && found.contains("the database: its connection is encrypted"), "{found}");
    assert!(!judged("files.checked > 200", &encrypted).0, "file checks were all seen");
    assert!(!judged("sql.statements > 20", &with(NotJudged { elsewhere: true, ..part("n-plus-one") })).0);
    assert!(judged("files.checked > 99", &with(part("stat-storm"))).2 == "102.0 ± 2.0", "above the bound without it");

    let mut unseen = result();
    let (rules, why) = (vec!["stat-storm".to_owned()], "no root".to_owned());
    let missing = unladen_document::NotLookedFor { rules, why, ..Default::default() };
    unseen.pages[0].inside.as_mut().unwrap().not_looked_for.push(missing);
    assert!(judged("files.checked > 200", &unseen).0 && !judged("sql.statements > 20", &unseen).0);
}

#[test]
fn the_rules_on_counters_are_rules() {
    for counter in ["sql.statements", "connections.opened", "files.checked"] {
        assert!(unladen_finding::RULES.iter().any(|rule| rule.name() == rule_on(counter)), "{counter}");
    }
}

#[test]
fn what_is_no_condition_is_a_rule_or_refused_with_what_one_is() {
    assert_eq!(WeightGate::read("stat-storm"), Ok(None));
    for text in [
        "cpu > 40",
        "cpu < 40ms",
        "p95 > 250ms",
        "files.checked > 10ms",
        "cpu > -1ms",
        "nonsense x > 3",
        "> 4",
        "syscall. > 1",
    ] {
        let why = WeightGate::read(text).unwrap_err();
        assert!(why.contains("cpu > 40ms") && why.contains(text), "{why}");
    }
}
