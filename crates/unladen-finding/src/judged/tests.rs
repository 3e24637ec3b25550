use unladen_trace::{
    Counted, GroupSeen, Interval, PathSeen, PathUnknown, PeerSeen, Series, SleepSeen, SyscallSeen, Unanswered, Unseen,
};

use super::{unjudged, *};
use crate::rules::tests::testing::{self, PYTHON, each, lean};

fn page() -> Evidence {
    testing::lean()
}

fn told(evidence: &Evidence) -> Vec<String> {
    unjudged(evidence).into_iter().map(|unjudged| format!("{}: {}", unjudged.what, unjudged.why)).collect()
}

#[test]
fn a_group_on_the_path_that_is_not_told_from_noise_is_told() {
    let mut evidence = page();
    assert!(told(&evidence).is_empty(), "all was looked at");
    let untold = Some(Interval { value: 26e6, low: 12e6, high: 40e6 });
    evidence.groups.push(GroupSeen { name: "www-data php".into(), on_path: true, untold, ..GroupSeen::default() });
    assert_eq!(
        told(&evidence),
        ["www-data php: on the path; 12 to 40 ms of CPU per request, not distinguishable from its other work"]
    );
    let rules = &unjudged(&evidence)[0].rules;
    assert!(rules.contains(&"stat-storm") && !rules.contains(&"uncompressed"), "{rules:?}");
    // Nothing of its CPU was seen, which is no proof that there was none.
    evidence.groups.last_mut().unwrap().untold = Some(Interval::default());
    assert_eq!(told(&evidence), ["www-data php: on the path; no CPU seen, not distinguishable from its other work"]);
}

#[test]
fn a_question_that_the_page_did_not_answer_is_told() {
    let mut evidence = page();
    let unanswered = Unanswered { ask: Ask::Compressed, why: "timed out".into() };
    evidence.response.get_or_insert_default().unanswered.push(unanswered);
    assert_eq!(told(&evidence), ["the page, requested compressed: timed out"]);
    assert_eq!(unjudged(&evidence)[0].rules, ["uncompressed", "missing-vary"]);
}

#[test]
fn a_path_that_is_not_known_is_told() {
    let unknown = PathUnknown { why: "tracing needs root".into(), takes: "root".into() };
    let path = Some(PathSeen { unknown: Some(unknown), ..PathSeen::default() });
    assert_eq!(told(&Evidence { path, ..page() }), ["the request's path: tracing needs root"]);
    let kept = Evidence { path: None, ..page() };
    assert_eq!(told(&kept), ["the request's path: it was not examined when this was recorded"]);
}

fn asking(why: Unseen) -> Evidence {
    let beyond = PeerSeen { peer: "10.0.0.5:5432".into(), protocol: Protocol::Postgres, why };
    Evidence { path: Some(PathSeen { beyond: vec![beyond], unknown: None }), ..page() }
}

#[test]
fn another_host_is_told_and_fails_no_rule() {
    let evidence = asking(Unseen::Elsewhere);
    let all = unjudged(&evidence);
    assert!(all[0].bearing == Bearing::Elsewhere && all[0].rules.is_empty());
    let why = "no process on this machine's own network listens there: it is on another host, or in a container's \
        network";
    assert_eq!(told(&evidence), [format!("10.0.0.5:5432 (PostgreSQL): on the path, but not examined: {why}")]);
}

/// `--fail-on any` passed what is hidden from this user, reached without a name, or one too many.
#[test]
fn what_is_of_this_machine_and_was_not_looked_at_counted_as_elsewhere() {
    for why in [Unseen::Hidden, Unseen::Nameless, Unseen::TooMany] {
        let all = unjudged(&asking(why));
        assert!(all[0].bearing == Bearing::Here && all[0].rules.contains(&"stat-storm"), "{all:?}");
        assert!(all[0].why.ends_with(why.as_str()), "{all:?}");
    }
}

#[test]
fn lost_events_and_a_counting_cut_short_are_told() {
    let evidence = Evidence { lost: 1_200, cut_short: Some("a request failed".into()), ..page() };
    assert_eq!(
        told(&evidence),
        [
            "what was traced: 1,200 events were lost: counts may be too low",
            "what was traced: the counting ended early: a request failed"
        ]
    );
}

#[test]
fn groups_left_out_are_told() {
    let evidence = Evidence { left_out: vec!["root a".into(), "root b".into()], ..page() };
    assert!(told(&evidence)[0].starts_with("root a, root b: "), "{:?}", told(&evidence));
}

#[test]
fn io_uring_is_told() {
    let mut evidence = page();
    let (name, count) = ("io_uring_enter".to_owned(), testing::each(4));
    evidence.syscalls.push(SyscallSeen { group: 0, name, count, ..SyscallSeen::default() });
    assert!(told(&evidence)[0].ends_with("io_uring, which cannot be traced"), "{:?}", told(&evidence));
}

#[test]
fn a_database_asked_over_tls_is_told() {
    let seen = ConnectionSeen {
        peer: "10.0.0.5:9999".into(),
        protocol: Protocol::Tls,
        inside: Some(Protocol::Postgres),
        exchanges: Counted { count: testing::each(3), ..Counted::default() },
        ..ConnectionSeen::default()
    };
    let by_port = ConnectionSeen { peer: "10.0.0.5:3306".into(), inside: None, ..seen.clone() };
    let service = ConnectionSeen { peer: "10.0.0.5:443".into(), inside: None, ..seen.clone() };
    let evidence = Evidence { connections: vec![seen, by_port, service], ..page() };
    let all = told(&evidence);
    assert_eq!(all.len(), 2, "{all:?}");
    assert!(all[0].starts_with("10.0.0.5:9999: ") && all[0].contains("talks to PostgreSQL over TLS"), "{all:?}");
    assert!(all[1].contains("talks to a database over TLS"), "{all:?}");
}

/// A page that sleeps once in each request, in all so long in each phase with requests: `long` in one of them, ns.
fn sleeping(each_ns: u64, long: u64) -> Evidence {
    let mut evidence = lean();
    let count = each(1);
    let mut is_first = true;
    let time_ns: Series = (0..evidence.phases.all().len())
        .map(|phase| {
            let time = count.in_phase(phase) * each_ns;
            if time > 0 && std::mem::take(&mut is_first) { time + long } else { time }
        })
        .collect();
    evidence.sleeps.push(SleepSeen { group: PYTHON, counted: Counted { count, time_ns, ..Counted::default() } });
    evidence
}

/// A page that slept 2 ms in each request was said to carry nothing, because one sleep took a second on a busy machine.
#[test]
fn silence_about_what_is_likely_was_taken_for_there_is_none() {
    let steady = sleeping(2_000_000, 0);
    assert!(look(&steady).iter().any(|finding| finding.rule == "sleep"));
    assert_eq!(uncertain(&steady), []);

    let uneven = sleeping(2_000_000, 5_000_000_000);
    assert!(look(&uneven).is_empty(), "its interval reaches down to nothing");
    let told = unjudged(&uneven);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].what.as_str(), &told[0].rules[..]), ("app python3.11", &["sleep"][..]));
    assert_eq!(told[0].bearing, Bearing::Uncertain);
    assert_eq!(told[0].why, "`sleep` is likely, but not certain: 1 sleep per request");
}

#[test]
fn noise_is_not_likely() {
    assert_eq!(uncertain(&sleeping(1_000, 0)), [], "the scheduler's business");
    assert_eq!(uncertain(&lean()), []);
}
