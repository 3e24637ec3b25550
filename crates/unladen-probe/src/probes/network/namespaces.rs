//! The principal type is [`Namespaces`]: networks other than this machine's, each counted for one group.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ledger::GroupId;
use crate::procfs::ProcFs;

use super::totals::{Grown, Totals};

/// Networks read. A machine may have hundreds of pods; each costs two files at each edge of a phase.
const MOST: usize = 256;

/// Networks other than this machine's (network_namespaces(7)).
#[derive(Debug, Default)]
pub(super) struct Namespaces {
    ours: Option<u64>,
    /// With each process's start, as its id may be reused.
    known: HashMap<i32, (u64, Option<u64>)>,
    last: HashMap<u64, Totals>,
}

impl Namespaces {
    /// Growth since the last reading, for groups with a network of their own. `processes` are all living ones with
    /// start and group.
    pub(super) fn read<'a>(
        &mut self,
        procfs: &mut ProcFs,
        processes: impl Iterator<Item = (i32, u64, GroupId)>,
        name: impl Fn(GroupId) -> &'a str,
    ) -> Vec<(GroupId, Grown)> {
        if self.ours.is_none() {
            self.ours = inode(procfs, "self");
        }
        let mut members: BTreeMap<u64, (i32, BTreeSet<GroupId>)> = BTreeMap::new();
        let mut known = HashMap::with_capacity(self.known.len());
        for (pid, start, group) in processes {
            let before = self.known.get(&pid).filter(|(began, _)| *began == start).map(|(_, inode)| *inode);
            // Without the right to look (ptrace(2)) there is none.
            let found = before.unwrap_or_else(|| inode(procfs, &pid.to_string()));
            known.insert(pid, (start, found));
            if let Some(namespace) = found.filter(|found| Some(*found) != self.ours) {
                members.entry(namespace).or_insert_with(|| (pid, BTreeSet::new())).1.insert(group);
            }
        }
        self.known = known;
        self.last.retain(|namespace, _| members.contains_key(namespace));
        let mut grown = Vec::new();
        for (namespace, (pid, groups)) in members.into_iter().take(MOST) {
            let Some(owner) = owner(&groups, &name) else { continue };
            // The view ends with its process; the next reading uses another's.
            let Ok(now) = Totals::of_process(procfs, pid) else { continue };
            if let Some(last) = self.last.get(&namespace) {
                grown.push((owner, now.since(last)));
            }
            self.last.insert(namespace, now);
        }
        grown
    }
}

/// The owner of a network shared by these groups: the only one, or the pod whose containers all others are. Other
/// shared networks have no owner.
fn owner<'a>(groups: &BTreeSet<GroupId>, name: &impl Fn(GroupId) -> &'a str) -> Option<GroupId> {
    groups.iter().copied().find(|pod| {
        let is_within = |group: GroupId| name(group).strip_prefix(name(*pod)).is_some_and(|rest| rest.starts_with('/'));
        groups.iter().all(|group| group == pod || is_within(*group))
    })
}

/// Inode of a process's network: `net:[4026531840]`.
fn inode(procfs: &ProcFs, process: &str) -> Option<u64> {
    let link = std::fs::read_link(procfs.root().join(process).join("ns/net")).ok()?;
    link.to_str()?.strip_prefix("net:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests;
