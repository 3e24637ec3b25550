use unladen_document::{BilledClient, BilledKind};

use super::*;

fn bill() -> BillDocument {
    let cpu_share = Span { value: 0.4, low: 0.35, high: 0.45 };
    BillDocument {
        kinds: vec![BilledKind { kind: "/diff?a>{n}".to_owned(), cpu_share, ..BilledKind::default() }],
        clients: vec![BilledClient { client: "crawlers that say so".to_owned(), cpu_share, ..BilledClient::default() }],
        machine_share: Some(Span { value: 0.1, low: 0.09, high: 0.11 }),
        ..BillDocument::default()
    }
}

fn judged(text: &str) -> (bool, bool) {
    let gate = BillGate::read(text, |rule| rule == "stat-storm").unwrap();
    let gates = judge(&[gate], &bill());
    (gates[0].broken, gates[0].untold)
}

#[test]
fn a_share_is_broken_where_all_of_its_interval_is_above_the_bound() {
    assert_eq!(judged("/diff?a>{n} > 30%"), (true, false));
    assert_eq!(judged("crawlers that say so > 40 %"), (false, true), "undecided");
    assert_eq!(judged("machine>80%"), (false, false));
    assert_eq!(judged("/gone > 1%"), (true, false), "nothing to judge by");
}

#[test]
fn a_rule_that_nobody_looked_for_is_no_pass() {
    assert_eq!(judged("stat-storm"), (true, false));
    assert_eq!(judged("any"), (true, false));
}

#[test]
fn what_is_no_condition_is_refused_with_what_one_is() {
    for text in ["machine > 80", "> 5%", "machine > 120%", "no-such-rule", "p95 > 5ms"] {
        let why = BillGate::read(text, |_| false).unwrap_err();
        assert!(why.contains("40%"), "{why}");
    }
}
