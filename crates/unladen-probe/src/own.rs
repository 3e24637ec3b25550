//! The principal type is [`Own`]: processes that are Unladen's own, beside this one: what carries its way to other hosts.

mod session;

use crate::process::Stat;
use crate::procfs::ProcFs;

/// How far up a tree's root is looked for.
const MAX_ANCESTORS: usize = 32;

/// A process for good: its id, and when it began.
type Known = (i32, u64);

/// Processes that are Unladen's own, beside this one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Own {
    /// These, and all that they have started.
    trees: Vec<Known>,
    /// These alone.
    carriers: Vec<Known>,
}

// === impl Own ===

impl Own {
    /// None but this process.
    pub fn new() -> Self {
        Self::default()
    }

    /// And this one with all that it starts: a command that leads to another host, with its ProxyCommand. What OpenSSH
    /// keeps for later sessions (ControlPersist) is no descendant any more, and is told by its title.
    #[must_use]
    pub fn with_tree(mut self, pid: u32) -> Self {
        let root = i32::try_from(pid).ok().and_then(|pid| Some((pid, stat(&mut ProcFs::new("/proc"), pid)?.start)));
        self.trees.extend(root);
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
    /// belongs to whoever began it.
    fn is_kept(&self, procfs: &mut ProcFs, pid: i32, of: &Stat) -> bool {
        let is_later = self.trees.iter().any(|(_, start)| *start <= of.start);
        is_later && of.comm == "ssh" && procfs.of_process(pid, "cmdline").is_ok_and(is_master)
    }
}

/// Whether that is the title of a master of OpenSSH: `ssh: /root/.ssh/cm-db1 [mux]`.
fn is_master(title: &[u8]) -> bool {
    let end = title.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    title.starts_with(b"ssh: ") && title[..end].ends_with(b"[mux]")
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
