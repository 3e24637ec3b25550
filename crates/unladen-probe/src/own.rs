//! The principal type is [`Own`]: processes of Unladen beside this one, which carry its connections to other hosts.

mod session;

use std::collections::BTreeSet;

use crate::effective_uid::effective_uid;
use crate::process::Stat;
use crate::procfs::ProcFs;

const MAX_ANCESTORS: usize = 32;

const MAX_TREE: usize = 256;

/// Identifies a process for good: pid and start time.
type Known = (i32, u64);

/// Processes that are Unladen's own, beside this one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Own {
    /// With all processes that they have started.
    trees: Vec<Known>,
    /// Possible owners of connections left behind: the user id of each ssh of a tree, and the tree's start.
    keepers: Vec<(u32, u64)>,
    /// Without their children.
    carriers: Vec<Known>,
}

impl Own {
    /// No other processes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a process with all that it starts: a command that leads to another host, with its ProxyCommand. Connections
    /// that OpenSSH keeps for later sessions (ControlPersist) are no descendants, and are recognised by title.
    #[must_use]
    pub fn with_tree(mut self, pid: u32) -> Self {
        let mut procfs = ProcFs::new("/proc");
        let root = i32::try_from(pid).ok().and_then(|pid| Some((pid, stat(&mut procfs, pid)?.start)));
        if let Some((pid, start)) = root {
            self.trees.push((pid, start));
            self.keepers.extend(keepers(&mut procfs, pid).into_iter().map(|user| (user, start)));
        }
        self
    }

    /// Adds the carriers of this process's session if it was started remotely: its ancestors below the listening
    /// server, which serves others too.
    #[must_use]
    pub fn with_session(mut self) -> Self {
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        let mut procfs = ProcFs::new("/proc");
        self.carriers.extend(session::carriers(own, |pid| session::Ancestor::look(&mut procfs, pid)));
        self
    }

    pub(crate) fn has(&self, procfs: &mut ProcFs, pid: i32, of: &Stat) -> bool {
        self.carriers.contains(&(pid, of.start))
            || !self.trees.is_empty() && (self.is_below(procfs, pid, of) || self.is_kept(procfs, pid, of))
    }

    fn is_below(&self, procfs: &mut ProcFs, mut pid: i32, of: &Stat) -> bool {
        let (mut start, mut parent) = (of.start, of.ppid);
        for _ in 0..MAX_ANCESTORS {
            if self.trees.contains(&(pid, start)) {
                return true;
            }
            let Some(above) = stat(procfs, parent) else { return false };
            (pid, start, parent) = (parent, above.start, above.ppid);
        }
        false
    }

    /// Whether this is an OpenSSH connection that one of the trees left behind for later sessions. It must be younger
    /// than the tree, of the same user, and the tree must contain ssh: anybody may give a process that title.
    fn is_kept(&self, procfs: &mut ProcFs, pid: i32, of: &Stat) -> bool {
        if of.comm != "ssh" || self.keepers.iter().all(|(_, start)| *start > of.start) {
            return false;
        }
        let Some(user) = user_of(procfs, pid) else { return false };
        let is_theirs = self.keepers.iter().any(|(keeper, start)| *keeper == user && *start <= of.start);
        is_theirs && procfs.of_process(pid, "cmdline").is_ok_and(is_master)
    }
}

/// Whether this is the title of an OpenSSH master: `ssh: /root/.ssh/cm-db1 [mux]`.
fn is_master(title: &[u8]) -> bool {
    let end = title.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    title.starts_with(b"ssh: ") && title[..end].ends_with(b"[mux]")
}

fn keepers(procfs: &mut ProcFs, root: i32) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([root]);
    let mut next = vec![root];
    while let Some(pid) = next.pop() {
        if stat(procfs, pid).is_some_and(|of| of.comm == "ssh") {
            found.extend(user_of(procfs, pid));
        }
        for tid in procfs.tids(pid).unwrap_or_default() {
            let name = format!("task/{tid}/children");
            let below = procfs.list_of_process(pid, &name).map(|below| String::from_utf8_lossy(below).into_owned());
            let below = below.unwrap_or_default();
            let below = below.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
            next.extend(below.filter(|pid| seen.len() < MAX_TREE && seen.insert(*pid)));
        }
    }
    found
}

fn user_of(procfs: &mut ProcFs, pid: i32) -> Option<u32> {
    procfs.of_process(pid, "status").ok().and_then(effective_uid)
}

fn stat(procfs: &mut ProcFs, pid: i32) -> Option<Stat> {
    if pid <= 0 {
        return None;
    }
    procfs.of_process(pid, "stat").ok().and_then(Stat::parse)
}

#[cfg(test)]
mod tests;
