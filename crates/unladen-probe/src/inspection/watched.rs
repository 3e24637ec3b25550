//! [`watched`]: the processes to follow.

use std::collections::{BTreeMap, BTreeSet};

use crate::instrument::Member;
use crate::trace::Watched;

/// All members of the groups, by index, and the masters that start them, whose children follow the requests. A master
/// may be in another group (root's, while its workers are not): its new workers still belong with the other workers,
/// and answer before they were examined.
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
mod tests;
