use std::time::{Duration, Instant};

use super::*;

fn times(busy: u64, stolen: u64) -> MachineTimes {
    let ms = Duration::from_millis;
    MachineTimes { elapsed: ms(1_000), available: ms(2_000), busy: ms(busy), stolen: ms(stolen), ..Default::default() }
}

fn told(blocks: &[MachineTimes]) -> (Machine, Option<String>) {
    let spoiled = Spoiled::of(&blocks.iter().map(conditions).collect::<Vec<_>>(), |_| true);
    let all = blocks.iter().fold(MachineTimes::default(), |sum, times| sum.plus(*times));
    (machine(&all, Some(&spoiled)), taken_warning(&all, Some(&spoiled)).map(|warning| warning.to_string()))
}

#[test]
fn a_quiet_machine_is_not_worth_a_word() {
    let (machine, warning) = told(&[times(500, 0); 8]);
    assert_eq!((machine.stolen_share, machine.spoiled_blocks, machine.blocks), (Some(0.0), Some(0), Some(8)));
    assert_eq!((machine.spoiled_kept_blocks, warning), (None, None));
}

#[test]
fn blocks_that_are_left_out_and_those_that_stay_are_told_apart() {
    let mut blocks = vec![times(500, 0); 8];
    blocks.extend([times(300, 200); 2]);
    let (machine, warning) = told(&blocks);
    assert_eq!((machine.spoiled_blocks, machine.spoiled_kept_blocks, machine.blocks), (Some(2), None, Some(10)));
    assert!(warning.unwrap().contains("2 of 10 blocks are left out"));
    blocks.extend([times(300, 200); 9]);
    let (machine, warning) = told(&blocks);
    assert_eq!((machine.spoiled_blocks, machine.spoiled_kept_blocks, machine.blocks), (Some(0), Some(11), Some(19)));
    assert!(warning.unwrap().contains("11 of 19 blocks are spoiled by that, too many"));
}

fn told_of_work(work: &ReferenceWork) -> Machine {
    let mut machine = Machine::default();
    work.tell(&mut machine);
    machine
}

#[test]
fn a_run_of_a_few_blocks_has_figures_of_each_kind() {
    let mut work = ReferenceWork::start(1);
    let begun = Instant::now();
    // Blocks until the figures are there: how much fits between two of them depends on the machine.
    while told_of_work(&work).reference.is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no figures after a minute");
        std::thread::sleep(Duration::from_millis(200));
        work.between_blocks(&Cancel::new());
    }
    let machine = told_of_work(&work);
    let names: Vec<&str> = machine.reference.iter().map(|reference| reference.name.as_str()).collect();
    assert_eq!(names, ["arithmetic", "memory", "syscalls"]);
    assert!(machine.reference.iter().all(|one| 0.0 < one.low && one.low <= one.ns && one.ns <= one.high));
    assert_eq!(machine.reference_version, Some(u64::from(unladen_machine::REFERENCE_VERSION)));
    assert!(machine.reference_cost_share.is_some_and(|share| share > 0.0 && share < 1.0));
    assert_eq!(work.warning(), None);
}

#[test]
fn a_run_without_blocks_has_none() {
    assert_eq!(told_of_work(&ReferenceWork::start(1)), Machine::default());
}

#[test]
fn why_there_is_none_is_a_warning() {
    let source = std::io::Error::other("too many open files");
    let mut work = ReferenceWork(Err(ReferenceError::Pipe { source }));
    work.between_blocks(&Cancel::new());
    assert_eq!(told_of_work(&work), Machine::default());
    assert!(work.warning().is_some_and(|warning| warning.to_string().contains("too many open files")));
}
