use std::time::{Duration, Instant};

use super::*;

fn told(work: &ReferenceWork) -> Machine {
    let mut machine = Machine::default();
    work.tell(&mut machine);
    machine
}

#[test]
fn a_run_of_a_few_blocks_has_figures_of_each_kind() {
    let mut work = ReferenceWork::start(1);
    let begun = Instant::now();
    // Blocks until the figures are there: how much fits between two of them depends on the machine.
    while told(&work).reference.is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no figures after a minute");
        std::thread::sleep(Duration::from_millis(200));
        work.between_blocks(&Cancel::new());
    }
    let machine = told(&work);
    let names: Vec<&str> = machine.reference.iter().map(|reference| reference.name.as_str()).collect();
    assert_eq!(names, ["arithmetic", "memory", "syscalls"]);
    assert!(machine.reference.iter().all(|one| 0.0 < one.low && one.low <= one.ns && one.ns <= one.high));
    assert_eq!(machine.reference_version, Some(u64::from(unladen_machine::REFERENCE_VERSION)));
    assert!(machine.reference_cost_share.is_some_and(|share| share > 0.0 && share < 1.0));
    assert_eq!(work.warning(), None);
}

#[test]
fn a_run_without_blocks_has_none() {
    assert_eq!(told(&ReferenceWork::start(1)), Machine::default());
}

#[test]
fn why_there_is_none_is_a_warning() {
    let source = std::io::Error::other("too many open files");
    let mut work = ReferenceWork(Err(ReferenceError::Pipe { source }));
    work.between_blocks(&Cancel::new());
    assert_eq!(told(&work), Machine::default());
    assert!(work.warning().is_some_and(|warning| warning.to_string().contains("too many open files")));
}
