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
    let gate = ShareGate::read(text).unwrap().unwrap().judge(&bill());
    (gate.broken, gate.untold)
}

#[test]
fn a_share_is_broken_where_all_of_its_interval_is_above_the_bound() {
    assert_eq!(judged("/diff?a>{n} > 30%"), (true, false));
    assert_eq!(judged("crawlers that say so > 40 %"), (false, true), "undecided");
    assert_eq!(judged("machine>80%"), (false, false));
    assert_eq!(judged("/gone > 1%"), (true, false), "nothing to judge by");
}

#[test]
fn what_is_no_share_is_a_rule_or_refused_with_what_one_is() {
    assert_eq!(ShareGate::read("stat-storm"), Ok(None));
    for text in ["machine > 80", "> 5%", "machine > 120%", "p95 > 5ms"] {
        let why = ShareGate::read(text).unwrap_err();
        assert!(why.contains("40%"), "{why}");
    }
}

#[test]
fn a_name_that_the_traffic_does_not_have_is_known_before_anything_is_measured() {
    let check = |text: &str, has_times| ShareGate::read(text).unwrap().unwrap().check(["/a"].into_iter(), has_times);
    assert_eq!((check("/a > 5%", false), check("machine > 5%", true)), (Ok(()), Ok(())));
    assert!(check("/b > 5%", true).unwrap_err().contains("is called /b"));
    assert!(check("machine > 5%", false).unwrap_err().contains("no times"));
}
