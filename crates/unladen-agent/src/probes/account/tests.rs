use std::time::Duration;

use proptest::prelude::*;
use unladen_machine::MachineTimes;

use super::*;
use crate::far_times::FarTimes;
use crate::standpoint::Standpoint;

fn counter(name: &str, unit: &str) -> FarCounter {
    let (title, meaning) = (name.to_owned(), name.to_owned());
    FarCounter { name: name.to_owned(), unit: unit.to_owned(), title, meaning, approximate: false }
}

fn opened(counters: Vec<FarCounter>) -> Opened {
    Opened {
        counters,
        unavailable: Vec::new(),
        shortfalls: Vec::new(),
        cost_cpu_ns: 1,
        cost_wall_ns: 1,
        processors: 2,
        kernel: "6.1".to_owned(),
        standpoint: Standpoint::default(),
    }
}

fn group(name: &str) -> Group {
    Group { name: name.to_owned(), kind: GroupKind::Processes }
}

fn times() -> FarTimes {
    let (elapsed, stolen) = (Duration::from_millis(500), Duration::from_millis(40));
    (&MachineTimes { elapsed, stolen, ..MachineTimes::default() }).into()
}

fn reading(at_ns: u64, new_groups: Vec<Group>, grown: Vec<FarGrown>) -> ProbeAnswer {
    ProbeAnswer::Reading { id: 1, at_ns, new_groups, grown, lost: 1, times: times(), own_cpu_ns: 5 }
}

#[test]
fn parts_and_late_readings_are_added_up() {
    let mut account = Account::new(opened(vec![counter("cpu", "ns")])).unwrap();
    let mut sum = FarReading::default();
    let part = ProbeAnswer::Part {
        id: 1,
        new_groups: vec![group("machine"), group("www-data nginx")],
        grown: vec![FarGrown { group: 1, counters: vec![(0, 7)] }],
    };
    assert_eq!(account.add(&mut sum, part), Ok(None));
    let grown = vec![FarGrown { group: 2, counters: vec![(0, 9)] }];
    assert_eq!(account.add(&mut sum, reading(50, vec![group("postgres")], grown)), Ok(Some(1)));
    assert_eq!(account.add(&mut sum, reading(60, Vec::new(), Vec::new())), Ok(Some(1)));
    let grown = vec![(1, 0, 7), (2, 0, 9)];
    let times = MachineTimes::from(times()).plus(times().into());
    assert_eq!(sum, FarReading { at_ns: 60, grown, lost: 2, times, own_cpu_ns: 5, ..FarReading::default() });
    assert_eq!(account.groups()[2].name, "postgres");
}

#[test]
fn what_cannot_be_is_refused() {
    let mut account = Account::new(opened(vec![counter("cpu", "ns")])).unwrap();
    let mut refused = |answer| account.add(&mut FarReading::default(), answer).unwrap_err();
    let grown = |group, counter| vec![FarGrown { group, counters: vec![(counter, 1)] }];
    assert_eq!(refused(reading(1, Vec::new(), grown(0, 0))), "group 0 of 0");
    assert_eq!(refused(reading(1, vec![group("a")], grown(0, 1))), "counter 1 of 1");
    assert_eq!(refused(reading(1, vec![group(&"a".repeat(257))], Vec::new())), "a group's name of 257 bytes");
    assert_eq!(refused(reading(1, vec![group("a"); MAX_GROUPS], Vec::new())), "more than 10000 groups");
    let much = vec![FarGrown { group: 0, counters: vec![(0, 1); MAX_AMOUNTS + 1] }];
    assert_eq!(refused(reading(1, Vec::new(), much)), "more than 100000 amounts in a reading");
    assert_eq!(refused(ProbeAnswer::Opened(opened(Vec::new()))), "its probes were opened twice");
    account.add(&mut FarReading::default(), reading(9, Vec::new(), Vec::new())).unwrap();
    let back = account.add(&mut FarReading::default(), reading(8, Vec::new(), Vec::new()));
    assert_eq!(back.unwrap_err(), "a clock that went backwards");
}

#[test]
fn counters_are_known_units_and_plain_names() {
    let refused = |counter| Account::new(opened(vec![counter])).unwrap_err();
    assert!(refused(counter("a b", "ns")).contains("as the name of a counter"));
    assert!(refused(counter("", "ns")).contains("as the name of a counter"));
    assert!(refused(counter("cpu", "furlongs")).contains("as the unit of cpu"));
    let many = (0..=MAX_COUNTERS).map(|number| counter(&format!("c{number}"), "1")).collect();
    assert!(Account::new(opened(many)).unwrap_err().contains("513 counters"));
    let mut titled = counter("cpu", "ns");
    titled.title = "\x1b]0;title\x07".to_owned();
    assert_eq!(Account::new(opened(vec![titled])).unwrap().opened().counters[0].title, " ]0;title ");
}

/// A host filled a report with a megabyte of warnings.
#[test]
fn a_host_told_of_more_that_it_lacks_than_anybody_reads() {
    let long = || "x".repeat(4_096);
    let unavailable = vec![(long(), long()); 300];
    let shortfalls = vec![FarShortfall { missing: long(), takes: long() }; 300];
    let account = Account::new(Opened { unavailable, shortfalls, ..opened(Vec::new()) }).unwrap();
    let Opened { unavailable, shortfalls, .. } = account.opened();
    assert_eq!((unavailable.len(), shortfalls.len()), (MAX_REMARKS, MAX_REMARKS));
    assert!(unavailable.iter().all(|(name, why)| name.len() <= MAX_NAME && why.len() == MAX_REMARK));
    assert!(shortfalls.iter().all(|short| short.missing.len() == MAX_REMARK && short.takes.len() == MAX_REMARK));
}

proptest! {
    /// Whatever bytes come as answers, what is kept is bounded, can be shown and is an index of something.
    #[test]
    fn no_answer_is_too_odd(bodies in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..20)) {
        let mut account = Account::new(opened(vec![counter("cpu", "ns"), counter("read_bytes", "B")])).unwrap();
        let mut sum = FarReading::default();
        for body in bodies {
            let Ok(answer) = crate::frame::decode::<ProbeAnswer>(&body) else { continue };
            if account.add(&mut sum, answer).is_err() {
                break;
            }
        }
        for (group, counter, _) in &sum.grown {
            prop_assert!(*group < account.groups().len() && *counter < 2);
        }
        prop_assert!(account.groups().iter().all(|group| !group.name.chars().any(char::is_control)));
    }
}
