//! [`carriers`]: the processes that carry a session begun remotely.

use crate::process::Stat;
use crate::procfs::ProcFs;

const MAX_ANCESTORS: usize = 32;

/// Inherits orphans, and serves everybody.
const INIT: i32 = 1;

/// A shell started at most this many ticks (10 ms) earlier was started for the session: logins time out after a minute.
const A_LOGIN: u64 = 6_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ancestor {
    pub(super) parent: i32,
    pub(super) start: u64,
    pub(super) name: String,
    pub(super) title: String,
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
pub(super) fn carriers(own: i32, mut look: impl FnMut(i32) -> Option<Ancestor>) -> Vec<(i32, u64)> {
    let mut found = Vec::new();
    let Some(first) = look(own) else { return found };
    let mut pid = first.parent;
    while pid > INIT && found.len() < MAX_ANCESTORS {
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
    pub(super) fn look(procfs: &mut ProcFs, pid: i32) -> Option<Self> {
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
