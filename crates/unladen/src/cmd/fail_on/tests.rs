use unladen_document::NotLookedFor;
use unladen_finding::{Bearing, Unjudged};
use unladen_profile::{About, Frame, Unit};
use unladen_report::written_unjudged;

use super::*;

fn unjudged(bearing: Bearing) -> NotJudged {
    let unjudged = Unjudged {
        what: "www-data php-fpm8.2".into(),
        why: "on the path; 12 to 40 ms of CPU per request, not distinguishable from its other work".into(),
        takes: String::new(),
        rules: if bearing == Bearing::Elsewhere { Vec::new() } else { vec!["stat-storm"] },
        bearing,
    };
    written_unjudged("", unjudged)
}

fn fails(names: &[&str], page: &Inside) -> bool {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    FailOn::of(&names, false).unwrap().judge(Vec::new(), [page]).is_err()
}

#[test]
fn what_was_not_judged_is_not_clean() {
    let page = Inside { not_judged: vec![unjudged(Bearing::Here)], ..Inside::default() };
    assert!(fails(&["any"], &page) && fails(&["stat-storm"], &page));
    assert!(!fails(&["uncompressed"], &page), "it looks at the page's answers, and did");
    assert!(!fails(&[], &page), "nobody asked");
    let elsewhere = Inside { not_judged: vec![unjudged(Bearing::Elsewhere)], ..Inside::default() };
    assert!(!fails(&["any", "stat-storm"], &elsewhere), "what is on another host was never to be looked at");
    let uncertain = Inside { not_judged: vec![unjudged(Bearing::Uncertain)], ..Inside::default() };
    assert!(!fails(&["any", "stat-storm"], &uncertain), "it fails for what is certain alone");
}

#[test]
fn any_rule_that_could_not_look_is_not_clean() {
    let (why, takes) = ("tracing needs root".into(), "root".into());
    let missing = NotLookedFor { url: String::new(), rules: vec!["sleep".into()], why, takes };
    let page = Inside { not_looked_for: vec![missing], ..Inside::default() };
    assert!(fails(&["any"], &page) && fails(&["sleep"], &page));
    assert!(!fails(&["uncompressed"], &page));
}

/// So many requests of a page, by a profiler that does not count calls.
fn profiled(requests: usize) -> Profiled {
    let mut profile =
        Profile::new(About { are_requests: true, unit: Unit::Samples, profiler: "Excimer".into(), ..About::default() });
    let main = profile.frames.intern(Frame::function("main"));
    let stack = profile.stacks.push(profile.stacks.root(), main);
    for _ in 0..requests {
        let cluster = profile.begin_request();
        profile.add(cluster, stack, 5);
    }
    let functions = unladen_profile::functions(&profile);
    Profiled::of(profile, &functions, Some(3))
}

/// Three requests, and a profile without a sample, passed the gate.
#[test]
fn a_profile_in_which_no_rule_could_look_is_not_clean() {
    let judged = |names: &[&str], result: &Profiled| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        FailOn::of(&names, true).unwrap().judge_profile("http://127.0.0.1/", result).map_err(|e| e.to_string())
    };
    let enough = profiled(MIN_REQUESTS);
    assert!(judged(&["any"], &enough).is_ok() && judged(&["clone-storm"], &enough).is_ok());
    assert!(judged(&["hot-call"], &enough).unwrap_err().contains("Excimer does not count calls"));
    assert!(judged(&["any"], &profiled(3)).unwrap_err().contains("3 requests"));
    assert!(judged(&["any"], &profiled(0)).unwrap_err().contains("no sample was taken"));
    assert!(judged(&[], &profiled(0)).is_ok(), "nobody asked");
}

/// What failed was on standard error alone, and the document did not say that anything had been asked.
#[test]
fn the_document_has_each_rule_that_was_named() {
    let page =
        Inside { url: "http://127.0.0.1/".into(), not_judged: vec![unjudged(Bearing::Here)], ..Inside::default() };
    let gates = FailOn::of(&["uncompressed".into(), "stat-storm".into()], false).unwrap().gates(&page);
    let told: Vec<_> = gates.iter().map(|gate| (gate.condition.as_str(), gate.broken, gate.found.as_str())).collect();
    let why = "not judged: www-data php-fpm8.2: on the path; 12 to 40 ms of CPU per request, not distinguishable from its \
         other work";
    assert_eq!(told, [("uncompressed", false, "nothing found"), ("stat-storm", true, why)]);
    let any = FailOn::of(&["any".into()], true).unwrap();
    let gates = any.gates_of_profile("http://127.0.0.1/", &profiled(3));
    assert!(gates.len() == 1 && gates[0].broken && gates[0].url == "http://127.0.0.1/", "{gates:?}");
}

#[test]
fn where_no_page_was_looked_at_each_rule_fails() {
    let gates = FailOn::of(&["any".to_owned(), "stat-storm".to_owned()], false).unwrap().gates_of(&[], "why");
    assert_eq!(gates.len(), 2);
    assert!(gates.iter().all(|gate| gate.broken && gate.found == "could not be checked: why"), "{gates:?}");
}
