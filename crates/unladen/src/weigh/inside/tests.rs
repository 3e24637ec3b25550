use std::path::Path;

use unladen_finding::{Figure, Fix, Saves, Share};
use unladen_trace::{Counted, PathSeen, QuerySeen, Recording, Series};

use super::*;

fn locks(group: &str, low: f64, high: f64) -> Finding {
    Finding {
        rule: "lock-churn",
        group: group.into(),
        summary: String::new(),
        figures: vec![Figure { name: "locks", unit: "1", value: Interval { value: low.midpoint(high), low, high } }],
        items: Vec::new(),
        takes: Share::NotKnown(String::new()),
        saves: Saves::NotKnown(String::new()),
        removes: None,
        fix: Fix::default(),
        check_again: String::new(),
    }
}

/// Each request of Sympa took some ten locks, and the first one of a process seven for each list: of these nothing was
/// said.
#[test]
fn ten_locks_of_every_request_hid_the_hundreds_of_a_first_one() {
    let warm = locks("sympa", 10.0, 12.0);
    assert!(!is_as_much(&warm, &locks("sympa", 420.0, 424.0)));
    assert!(is_as_much(&warm, &locks("sympa", 11.0, 13.0)), "every request has them");
    assert!(is_as_much(&warm, &locks("sympa", 20.0, 40.0)), "perhaps twice as many");
    assert!(!is_as_much(&warm, &locks("www-data", 11.0, 13.0)), "somebody else's");
    let none = Finding { figures: Vec::new(), ..warm.clone() };
    assert!(is_as_much(&none, &warm), "nothing tells that it is more");
}

/// What was kept of a real run.
fn recorded(name: &str) -> PageRecord {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../unladen-finding/tests/recordings");
    Recording::read(&folder.join(name)).unwrap().pages.remove(0)
}

/// The same, seen on a host, while nothing of it was here.
fn elsewhere(mut record: PageRecord, host: &str) -> PageRecord {
    record.warm.host = Some(host.into());
    let sources = record.warm.sources.clone();
    let here =
        Evidence { page: record.warm.page.clone(), sources, path: Some(PathSeen::default()), ..Evidence::default() };
    let there = HostRecord { warm: record.warm, fresh: None };
    PageRecord { warm: here, fresh: None, hosts: vec![there] }
}

#[test]
fn what_is_found_on_a_host_is_told_with_its_name() {
    let here = inside(&recorded("unpooled-tls.json")).inside;
    let there = inside(&elsewhere(recorded("unpooled-tls.json"), "web")).inside;
    let of = |inside: &Inside| {
        let found = inside.findings.iter().filter(|found| !found.group.is_empty());
        found.map(|found| (found.rule.clone(), found.group.clone())).collect::<Vec<_>>()
    };
    let named: Vec<_> = of(&here).into_iter().map(|(rule, group)| (rule, format!("web/{group}"))).collect();
    assert!(!named.is_empty());
    assert_eq!(of(&there), named);
    assert!(there.counts.iter().all(|count| count.group.starts_with("web/")) && !there.counts.is_empty());
    assert_eq!(there.requests, here.requests);
}

#[test]
fn a_host_where_nothing_was_traced_fails_no_rule() {
    let mut record = elsewhere(recorded("unpooled-tls.json"), "web");
    let whole = inside(&record).inside.is_whole();
    let warm = &mut record.hosts[0].warm;
    *warm = Evidence { host: warm.host.take(), page: warm.page.clone(), ..Evidence::default() };
    let (why, takes) = ("it has no eBPF".to_owned(), "unladen there".to_owned());
    warm.missing = vec![Missing { source: EvidenceSource::Syscalls, why: why.clone(), takes: takes.clone() }];
    let there = inside(&record).inside;
    let url = there.url.clone();
    let told = NotJudged { url, what: "web".into(), why, takes, elsewhere: true, ..NotJudged::default() };
    assert!(there.not_judged.contains(&told), "{:?}", there.not_judged);
    assert!(there.findings.iter().all(|found| !found.group.starts_with("web/")));
    assert!(!whole || there.not_looked_for.is_empty(), "{:?}", there.not_looked_for);
}

/// Each of a host's statements was a finding: thousands, and none of other hosts was seen among them.
#[test]
fn a_host_told_of_more_findings_than_anybody_reads() {
    let mut record = elsewhere(recorded("base.json"), "web");
    let before = inside(&record).inside;
    let warm = &mut record.hosts[0].warm;
    let each: Series = warm.phases.all().iter().map(|phase| if phase.on { 20 * phase.requests } else { 0 }).collect();
    let once = warm.phases.all().iter().map(|phase| if phase.on { phase.requests } else { 0 }).collect();
    let counted = Counted { count: each, requests: once, ..Counted::default() };
    warm.queries = (0..MOST_FINDINGS + 50)
        .map(|number| QuerySeen {
            fingerprint: format!("SELECT a FROM t{number} WHERE b = ?"),
            counted: counted.clone(),
            ..QuerySeen::default()
        })
        .collect();
    let there = inside(&record).inside;
    let of_host = there.findings.iter().filter(|found| found.host.as_deref() == Some("web")).count();
    assert_eq!(of_host, MOST_FINDINGS);
    let told = |part: &&NotJudged| {
        part.what == "web" && part.why.ends_with("more findings were left out: no page has so many")
    };
    assert_eq!(there.not_judged.iter().filter(told).count(), 1, "{:?}", there.not_judged);
    assert_eq!(before.not_judged.iter().filter(told).count(), 0);
}
