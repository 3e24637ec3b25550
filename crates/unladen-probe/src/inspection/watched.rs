//! Whom to follow: [`watched`].

use std::collections::{BTreeMap, BTreeSet};

use crate::instrument::Member;
use crate::trace::Watched;

/// All members of the groups, by their places here, and the masters that start them: of these the children follow the requests. A
/// master may be a member of another group, as one that runs as root while its workers do not: a worker that it starts belongs to
/// the other workers all the same, and answers before it was looked at.
pub(super) fn watched(groups: &[Vec<Member>], same_program: impl Fn(i32, i32) -> bool) -> Vec<Watched> {
    let mut watched = BTreeMap::new();
    for (index, member) in each(groups) {
        watched.insert(member.pid, Watched { pid: pid(member.pid), group: index, children: index, own: true });
    }
    let mut masters = BTreeSet::new();
    for (index, Member { pid: worker, parent }) in each(groups) {
        if *parent <= 1 || masters.contains(parent) || !same_program(*worker, *parent) {
            continue;
        }
        masters.insert(*parent);
        let unknown = Watched { pid: pid(*parent), group: index, children: index, own: false };
        watched.entry(*parent).or_insert(unknown).children = index;
    }
    watched.into_values().collect()
}

fn each(groups: &[Vec<Member>]) -> impl Iterator<Item = (u32, &Member)> {
    (0_u32..).zip(groups).flat_map(|(index, members)| members.iter().map(move |member| (index, member)))
}

fn pid(pid: i32) -> u32 {
    pid.cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOTS: u32 = 0;
    const WORKERS: u32 = 1;

    fn of(pid: i32, all: &[Watched]) -> (u32, u32, bool) {
        let found = all.iter().find(|watched| watched.pid == pid.cast_unsigned()).expect("it is followed");
        (found.group, found.children, found.own)
    }

    #[test]
    fn workers_that_a_master_of_another_group_will_start_belong_to_the_workers() {
        let groups =
            [vec![Member { pid: 10, parent: 1 }], vec![Member { pid: 11, parent: 10 }, Member { pid: 12, parent: 10 }]];
        let all = watched(&groups, |_, _| true);
        assert_eq!(all.len(), 3);
        assert_eq!(of(10, &all), (ROOTS, WORKERS, true));
        assert_eq!(of(11, &all), (WORKERS, WORKERS, true));
    }

    #[test]
    fn of_a_master_that_does_not_follow_only_the_children_count() {
        let groups =
            [vec![Member { pid: 11, parent: 10 }, Member { pid: 21, parent: 20 }, Member { pid: 31, parent: 1 }]];
        let all = watched(&groups, |worker, _| worker != 21);
        assert_eq!(of(10, &all), (0, 0, false));
        assert_eq!(all.len(), 4, "neither a parent of another program, nor the first process: {all:?}");
    }

    #[test]
    fn a_worker_that_starts_programs_keeps_them() {
        let groups = [vec![Member { pid: 11, parent: 10 }], vec![Member { pid: 12, parent: 11 }]];
        let all = watched(&groups, |_, _| false);
        assert_eq!(of(11, &all), (0, 0, true));
    }
}
