use std::collections::BTreeSet;

use unladen_probe::{GroupBy, ProcessGroups, StackSample};
use unladen_profile::Profile;

use super::*;
use crate::perf_clock::places::Backing;

fn notes(fill: impl FnOnce(&mut Places) -> Vec<(Vec<u32>, u64)>, off: f64) -> Vec<String> {
    let mut places = Places::default();
    let stacks = fill(&mut places);
    let used: BTreeSet<u32> = stacks.iter().flat_map(|(stack, _)| stack.clone()).collect();
    let symbols = Symbols::look_up(&used, &places, &mut Profile::default());
    let mut shortcomings = Shortcomings::default();
    for (stack, samples) in stacks {
        let stack = places.stack(stack);
        shortcomings.add(stack, samples, &places, &symbols);
    }
    // Above the largest id that Linux gives out (2²²).
    let group = ProcessGroups::open(GroupBy::Exe).of(&StackSample { pid: 1 << 23, ..StackSample::default() });
    shortcomings.notes("www-data app", &Follower { group, on: 100.0, off }, &places)
}

fn absent(places: &mut Places, offset: u64) -> u32 {
    let backing = Backing::File { path: "/no/such/app".into(), inode: 1 };
    places.mapped(1 << 23, "app", &backing, offset, offset)
}

#[test]
fn background_is_said() {
    assert_eq!(notes(|_| Vec::new(), 4.0), Vec::<String>::new());
    let said = notes(|_| Vec::new(), 31.0);
    assert!(matches!(&said[..], [note] if note.starts_with("www-data app: 31 % of its samples")), "{said:?}");
}

#[test]
fn a_program_without_names_is_said() {
    let said = notes(|places| vec![((0..5).map(|offset| absent(places, offset)).collect(), 50)], 0.0);
    assert!(matches!(&said[..], [note] if note.contains("/no/such/app") && note.contains("-dbgsym")), "{said:?}");
    let few = notes(|places| vec![((0..5).map(|offset| absent(places, offset)).collect(), 5)], 0.0);
    assert_eq!(few, Vec::<String>::new(), "of five samples nothing is said");
}

#[test]
fn code_without_a_map_is_said() {
    let made = |places: &mut Places| {
        (0..5).map(|address| places.mapped(1 << 23, "node", &Backing::Anonymous, 0, address)).collect()
    };
    let said = notes(|places| vec![(made(places), 50)], 0.0);
    assert!(matches!(&said[..], [note] if note.contains("--perf-basic-prof")), "{said:?}");
}

#[test]
fn what_has_ended_is_said() {
    let said = notes(|places| vec![(vec![places.ended(1 << 23, "cgi")], 50)], 0.0);
    assert!(matches!(&said[..], [note] if note.contains("that ended")), "{said:?}");
}

#[test]
fn short_stacks_are_said() {
    let said = notes(|places| vec![(vec![absent(places, 1)], 50)], 0.0);
    assert!(said.iter().any(|note| note.contains("frame pointers")), "{said:?}");
}

#[test]
fn hidden_names_of_the_kernel_are_said() {
    // No function is at address 1.
    let said = notes(|places| vec![(vec![places.kernel(1)], 50)], 0.0);
    assert!(matches!(&said[..], [note] if note.contains("kptr_restrict")), "{said:?}");
}
