//! Who carries a session that was begun from elsewhere: [`carriers`].

use crate::process::Stat;
use crate::procfs::ProcFs;

/// How far up is looked.
const MAX_ANCESTORS: usize = 32;

/// It inherits orphans, and serves everybody.
const INIT: i32 = 1;

/// A shell that was begun so many ticks (10 ms) before, or fewer, was begun for the session: a login has a minute.
const A_LOGIN: u64 = 6_000;

/// An ancestor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ancestor {
    pub(super) parent: i32,
    pub(super) start: u64,
    pub(super) name: String,
    /// What it calls itself.
    pub(super) title: String,
}

/// What a process is to the session below it.
#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// It carries this one alone.
    Carries,
    /// It listens for all.
    Listens,
    /// Nothing tells.
    Unknown,
}

/// The ancestors of a process that carry its session, the nearest first: shells, and servers of SSH up to the one that
/// listens. Another one is among them if it began with the session.
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

// === impl Ancestor ===

impl Ancestor {
    /// As /proc has it; `None` if it has ended, or is another namespace's.
    pub(super) fn look(procfs: &mut ProcFs, pid: i32) -> Option<Self> {
        let stat = procfs.of_process(pid, "stat").ok().and_then(Stat::parse)?;
        let title = procfs.of_process(pid, "cmdline").ok().map(|title| String::from_utf8_lossy(title).into_owned());
        let title = title.unwrap_or_default().replace('\0', " ");
        Some(Self { parent: stat.ppid, start: stat.start, name: stat.comm, title })
    }

    /// OpenSSH's server calls itself `sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups`, before version 8 by its
    /// command line, and the processes of a session `sshd: root@notty` or `sshd-session: root [priv]`. Dropbear's all
    /// have the command line of the one that listens, which is none where inetd does (`-i`).
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
mod tests {
    use super::*;

    /// Of process ids, parents, beginnings, names and titles.
    fn carried(all: &[(i32, i32, u64, &str, &str)]) -> Vec<i32> {
        let look = |pid: i32| {
            let (_, parent, start, name, title) = all.iter().find(|one| one.0 == pid)?;
            Some(Ancestor { parent: *parent, start: *start, name: (*name).into(), title: (*title).into() })
        };
        carriers(all[0].0, look).into_iter().map(|(pid, _)| pid).collect()
    }

    #[test]
    fn a_session_of_openssh_is_carried_by_all_but_the_listener() {
        let agent = (900, 899, 500_000, "unladen-agent", "/proc/self/fd/4 agent");
        let shell = (899, 898, 499_990, "bash", "bash -c sh");
        let listener = (400, 1, 1_000, "sshd", "sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups");
        let root = [agent, shell, (898, 400, 499_900, "sshd", "sshd: root@notty"), listener];
        assert_eq!(carried(&root), [899, 898]);
        // A user's own process, and root's that watches it; kept open for an hour.
        let user = (898, 897, 100_000, "sshd", "sshd: anna@notty");
        let watch = (897, 400, 100_000, "sshd", "sshd: anna [priv]");
        assert_eq!(carried(&[agent, shell, user, watch, listener]), [899, 898, 897]);
        let user = (898, 897, 100_000, "sshd-session", "sshd-session: anna@notty");
        let watch = (897, 400, 100_000, "sshd-session", "sshd-session: anna [priv]");
        assert_eq!(carried(&[agent, shell, user, watch, listener]), [899, 898, 897]);
        // Before version 8, and started by systemd for each connection.
        let old = (400, 1, 1_000, "sshd", "/usr/sbin/sshd -D");
        assert_eq!(carried(&[agent, (899, 400, 499_990, "sshd", "sshd: root@notty"), old]), [899]);
        let each = (898, 1, 499_900, "sshd", "sshd: root@notty");
        assert_eq!(carried(&[agent, shell, each, (1, 0, 1, "systemd", "/sbin/init")]), [899, 898]);
    }

    #[test]
    fn dropbear_is_told_by_its_parent() {
        let agent = (900, 899, 500_000, "unladen-agent", "");
        let of = |pid, parent, start, title| (pid, parent, start, "dropbear", title);
        let session = of(899, 400, 499_000, "/usr/sbin/dropbear -p 22");
        assert_eq!(carried(&[agent, session, of(400, 1, 1_000, "/usr/sbin/dropbear -p 22")]), [899]);
        assert_eq!(carried(&[agent, of(899, 1, 499_000, "dropbear -i")]), [899]);
        assert_eq!(carried(&[agent, of(899, 1, 1_000, "dropbear -p 22")]), [0; 0]);
    }

    /// Whoever works at the machine, and a server that hands out shells, have more to do than this.
    #[test]
    fn what_was_there_long_before_is_not_own() {
        let agent = (900, 899, 500_000, "unladen-agent", "");
        let sudo = (899, 898, 499_000, "sudo", "sudo sh");
        assert_eq!(carried(&[agent, sudo, (898, 400, 400_000, "bash", "-bash")]), [899]);
        assert_eq!(carried(&[agent, (899, 900, 499_000, "sh", "sh")]).len(), MAX_ANCESTORS, "a circle ends");
        assert_eq!(carried(&[agent]), [0; 0], "in a container, whose command has no parent");
    }
}
