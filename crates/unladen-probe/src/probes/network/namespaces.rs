//! The principal type is [`Namespaces`]: networks other than this machine's, whose counts are those of one group.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ledger::GroupId;
use crate::procfs::ProcFs;

use super::totals::{Grown, Totals};

/// Networks that are read. A machine may have hundreds of pods; each costs two files at each edge of a phase.
const MOST: usize = 256;

/// Networks other than this machine's (network_namespaces(7)).
#[derive(Debug, Default)]
pub(super) struct Namespaces {
    ours: Option<u64>,
    /// Of each process by when it began: an id may be given to another.
    known: HashMap<i32, (u64, Option<u64>)>,
    last: HashMap<u64, Totals>,
}

// === impl Namespaces ===

impl Namespaces {
    /// What grew since the reading before, of groups whose network is their own. `processes`: all that live, when each
    /// began, and whose it is.
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
            // Without the right to look (ptrace(2)) none is told.
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
            // A process that has just ended takes its view of the network along: the next reading has another's.
            let Ok(now) = Totals::of_process(procfs, pid) else { continue };
            if let Some(last) = self.last.get(&namespace) {
                grown.push((owner, now.since(last)));
            }
            self.last.insert(namespace, now);
        }
        grown
    }
}

/// Whose a network is that these groups share: of the only one, or of the pod that all others are containers of. What
/// others share is nobody's.
fn owner<'a>(groups: &BTreeSet<GroupId>, name: &impl Fn(GroupId) -> &'a str) -> Option<GroupId> {
    groups.iter().copied().find(|pod| {
        let is_within = |group: GroupId| name(group).strip_prefix(name(*pod)).is_some_and(|rest| rest.starts_with('/'));
        groups.iter().all(|group| group == pod || is_within(*group))
    })
}

/// The number of a process's network: `net:[4026531840]`.
fn inode(procfs: &ProcFs, process: &str) -> Option<u64> {
    let link = std::fs::read_link(procfs.root().join(process).join("ns/net")).ok()?;
    link.to_str()?.strip_prefix("net:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;

    fn network(proc: &Path, process: &str, inode: u32, opened: u64, sent: u64) {
        let folder = proc.join(process);
        fs::create_dir_all(folder.join("ns")).unwrap();
        fs::create_dir_all(folder.join("net")).unwrap();
        let _ = symlink(format!("net:[{inode}]"), folder.join("ns/net"));
        let snmp = format!("Tcp: ActiveOpens PassiveOpens RetransSegs\nTcp: {opened} 0 0\n");
        fs::write(folder.join("net/snmp"), snmp).unwrap();
        let dev = format!("Inter-|\n face |\n  eth0: 0 0 0 0 0 0 0 0 {sent} 0 0 0 0 0 0 0\n");
        fs::write(folder.join("net/dev"), dev).unwrap();
    }

    #[test]
    fn a_network_of_one_group_alone_or_of_a_pod_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let proc = folder.path();
        let names = ["nginx.service", "container web", "pod shop/web", "pod shop/web/php", "a", "b"];
        let processes = || [(1, 9, 0), (2, 9, 1), (3, 9, 2), (4, 9, 3), (5, 9, 4), (6, 9, 5)];
        let mut namespaces = Namespaces::default();
        let mut procfs = ProcFs::new(proc);
        let mut read = |factor: u64| {
            for (process, inode) in [("self", 1), ("1", 1), ("2", 20), ("3", 30), ("4", 30), ("5", 40), ("6", 40)] {
                network(proc, process, inode, factor * 2, factor * u64::from(inode));
            }
            let processes = processes().into_iter().map(|(pid, start, group)| (pid, start, GroupId(group)));
            let grown = namespaces.read(&mut procfs, processes, |group| names[group.index()]);
            grown.into_iter().map(|(group, grown)| (names[group.index()], grown.0)).collect::<Vec<_>>()
        };
        assert_eq!(read(1), []);
        // What strangers share is nobody's, and what this machine has is told as its own.
        assert_eq!(read(4), [("container web", [6, 0, 0, 0, 60]), ("pod shop/web", [6, 0, 0, 0, 90])]);
        assert_eq!(read(4), [("container web", [0; 5]), ("pod shop/web", [0; 5])]);
    }
}
