//! The principal type is [`Own`]: processes of Unladen beside this one, which carry its connections to other hosts.

use std::collections::BTreeSet;

use crate::process::Stat;
use crate::procfs::{ProcFs, effective_uid};

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
        self.carriers.extend(carriers(own, |pid| Ancestor::look(&mut procfs, pid)));
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

const MAX_CARRIERS: usize = 32;

/// Inherits orphans, and serves everybody.
const INIT: i32 = 1;

/// A shell started at most this many ticks (10 ms) earlier was started for the session: logins time out after a minute.
const A_LOGIN: u64 = 6_000;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Ancestor {
    parent: i32,
    start: u64,
    name: String,
    title: String,
}

/// What a process is to the session below it.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// Carries this session only.
    Carries,
    Listens,
    Unknown,
}

/// The ancestors that carry a process's session, nearest first: shells, and SSH servers below the listening one. Other
/// ancestors count if they began with the session.
fn carriers(own: i32, mut look: impl FnMut(i32) -> Option<Ancestor>) -> Vec<(i32, u64)> {
    let mut found = Vec::new();
    let Some(first) = look(own) else { return found };
    let mut pid = first.parent;
    while pid > INIT && found.len() < MAX_CARRIERS {
        let Some(ancestor) = look(pid) else { break };
        let above = look(ancestor.parent).filter(|_| ancestor.parent > INIT);
        let is_one = match ancestor.part(above.as_ref()) {
            Part::Carries => true,
            Part::Listens => false,
            Part::Unknown => ancestor.start.saturating_add(A_LOGIN) >= first.start,
        };
        if !is_one {
            break;
        }
        found.push((pid, ancestor.start));
        pid = ancestor.parent;
    }
    found
}

impl Ancestor {
    fn look(procfs: &mut ProcFs, pid: i32) -> Option<Self> {
        let stat = procfs.of_process(pid, "stat").ok().and_then(Stat::parse)?;
        let title = procfs.of_process(pid, "cmdline").ok().map(|title| String::from_utf8_lossy(title).into_owned());
        let title = title.unwrap_or_default().replace('\0', " ");
        Some(Self { parent: stat.ppid, start: stat.start, name: stat.comm, title })
    }

    /// OpenSSH's server is titled `sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups` (before version 8, its
    /// command line), and a session's processes `sshd: root@notty` or `sshd-session: root [priv]`. Dropbear's all have
    /// the listener's command line; there is no listener under inetd (`-i`).
    fn part(&self, above: Option<&Self>) -> Part {
        if self.name.starts_with("sshd") {
            let is_session = self.title.starts_with("sshd") && self.title.contains(": ");
            return if is_session && !self.title.contains("[listener]") { Part::Carries } else { Part::Listens };
        }
        if self.name == "dropbear" {
            let is_session = above.is_some_and(|above| above.name == "dropbear")
                || self.title.split_ascii_whitespace().any(|word| word.starts_with('-') && word.contains('i'));
            return if is_session { Part::Carries } else { Part::Listens };
        }
        Part::Unknown
    }
}

#[cfg(test)]
mod tests;
