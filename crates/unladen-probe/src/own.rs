//! The principal type is [`Own`]: processes that are Unladen's own, beside this one: what carries its way to other hosts.

mod session;

use std::collections::BTreeSet;

use crate::effective_uid::effective_uid;
use crate::process::Stat;
use crate::procfs::ProcFs;

/// How far up a tree's root is looked for.
const MAX_ANCESTORS: usize = 32;

/// Processes of a tree that are looked at.
const MAX_TREE: usize = 256;

/// A process for good: its id, and when it began.
type Known = (i32, u64);

/// Processes that are Unladen's own, beside this one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Own {
    /// These, and all that they have started.
    trees: Vec<Known>,
    /// Those who may leave connections behind: the user id of each ssh of a tree, and when the tree began.
    keepers: Vec<(u32, u64)>,
    /// These alone.
    carriers: Vec<Known>,
}

impl Own {
    /// None but this process.
    pub fn new() -> Self {
        Self::default()
    }

    /// And this one with all that it starts: a command that leads to another host, with its ProxyCommand. What OpenSSH
    /// keeps for later sessions (ControlPersist) is no descendant any more, and is told by its title.
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

    /// And those that carry this process's session, where it was started from elsewhere: its ancestors up to the server
    /// that listens, which serves others too.
    #[must_use]
    pub fn with_session(mut self) -> Self {
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        let mut procfs = ProcFs::new("/proc");
        self.carriers.extend(session::carriers(own, |pid| session::Ancestor::look(&mut procfs, pid)));
        self
    }

    /// Whether that process is one of them.
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

    /// A connection of OpenSSH that one of the trees has left behind for later sessions. One that was there before
    /// belongs to whoever began it, as does one of another user, or where no tree is one of OpenSSH: whoever likes may
    /// give a process that title.
    fn is_kept(&self, procfs: &mut ProcFs, pid: i32, of: &Stat) -> bool {
        if of.comm != "ssh" || self.keepers.iter().all(|(_, start)| *start > of.start) {
            return false;
        }
        let Some(user) = user_of(procfs, pid) else { return false };
        let is_theirs = self.keepers.iter().any(|(keeper, start)| *keeper == user && *start <= of.start);
        is_theirs && procfs.of_process(pid, "cmdline").is_ok_and(is_master)
    }
}

/// Whether that is the title of a master of OpenSSH: `ssh: /root/.ssh/cm-db1 [mux]`.
fn is_master(title: &[u8]) -> bool {
    let end = title.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    title.starts_with(b"ssh: ") && title[..end].ends_with(b"[mux]")
}

/// The effective users of those of a tree that are ssh.
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

/// Its effective user; `None` if it has ended.
fn user_of(procfs: &mut ProcFs, pid: i32) -> Option<u32> {
    procfs.of_process(pid, "status").ok().and_then(effective_uid)
}

/// What /proc/PID/stat says of it; `None` if it has ended.
fn stat(procfs: &mut ProcFs, pid: i32) -> Option<Stat> {
    if pid <= 0 {
        return None;
    }
    procfs.of_process(pid, "stat").ok().and_then(Stat::parse)
}

#[cfg(test)]
mod tests;
