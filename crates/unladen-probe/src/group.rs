//! The principal type is [`Group`]: the owner of a counter.

use std::collections::HashMap;

use crate::cgroup;
use crate::container_state::ContainerState;
use crate::effective_uid::effective_uid;
use crate::ledger::GroupId;
use crate::own::Own;
use crate::process::Stat;
use crate::procfs::ProcFs;
use crate::users::Users;

/// How processes are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupBy {
    /// By systemd unit or container; others by user and executable.
    #[default]
    Auto,
    Cgroup,
    Exe,
    User,
    Pid,
}

/// The kind of a group.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum GroupKind {
    Machine,
    /// This process, the client; or processes that lead to other hosts for it, or carry its session.
    Own,
    Kernel,
    /// A systemd unit, a container or a control group.
    Unit {
        /// Path in the v2 hierarchy; `None` if only v1 names it.
        cgroup: Option<String>,
    },
    /// Processes of one user and executable or of one user, or a single process.
    Processes,
}

/// A group of processes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Group {
    /// `php8.2-fpm.service`, `www-data nginx`, `machine`.
    pub name: String,
    pub kind: GroupKind,
}

impl std::fmt::Display for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// The kernel truncates program names to this.
const COMM_LEN: usize = 15;

/// Names of this process, and of those that connect it.
const CLIENT: &str = "unladen (the client)";
const WAY: &str = "unladen (its way)";

#[derive(Debug)]
pub(crate) struct Groups {
    by: GroupBy,
    all: Vec<Group>,
    ids: HashMap<Group, GroupId>,
    users: Users,
    containers: ContainerState,
    /// Earlier groups of living processes by user and name, for processes that ended before they could be examined.
    learned: HashMap<(u32, String), GroupId>,
    own_pid: i32,
    own: Own,
    /// What is unreadable even with that privilege is unreadable for everyone.
    may_trace: bool,
    pub(crate) some_exe_hidden: bool,
}

/// Always the first group.
pub(crate) const MACHINE: GroupId = GroupId(0);

impl Groups {
    pub(crate) fn new(by: GroupBy, own_pid: i32, may_trace: bool) -> Self {
        let mut groups = Self {
            by,
            all: Vec::new(),
            ids: HashMap::new(),
            users: Users::default(),
            containers: ContainerState::new("/"),
            learned: HashMap::new(),
            own_pid,
            own: Own::new(),
            may_trace,
            some_exe_hidden: false,
        };
        groups.intern(Group { name: "machine".into(), kind: GroupKind::Machine });
        groups
    }

    pub(crate) fn with_own(self, own: Own) -> Self {
        Self { own, ..self }
    }

    pub(crate) fn all(&self) -> &[Group] {
        &self.all
    }

    pub(crate) fn get(&self, id: GroupId) -> &Group {
        &self.all[id.index()]
    }

    /// The group of a living process. Anything unreadable is skipped, since the process may end at any time.
    pub(crate) fn of_process(&mut self, procfs: &mut ProcFs, pid: i32, stat: &Stat) -> GroupId {
        if pid == self.own_pid {
            return self.client();
        }
        if stat.kernel_thread {
            return self.intern(Group { name: "kernel threads".into(), kind: GroupKind::Kernel });
        }
        if self.own.has(procfs, pid, stat) {
            return self.way();
        }
        let uid = procfs.of_process(pid, "status").ok().and_then(effective_uid);
        let unit = match self.by {
            GroupBy::Auto => procfs.of_process(pid, "cgroup").ok().and_then(cgroup::unit_of),
            GroupBy::Cgroup | GroupBy::Exe | GroupBy::User | GroupBy::Pid => None,
        };
        let cgroup = match self.by {
            GroupBy::Cgroup => procfs.of_process(pid, "cgroup").ok().and_then(cgroup::path_of).map(str::to_owned),
            GroupBy::Auto | GroupBy::Exe | GroupBy::User | GroupBy::Pid => None,
        };
        let group = match (unit, cgroup) {
            (Some(unit), _) => {
                Group { name: unit.name(&mut self.containers), kind: GroupKind::Unit { cgroup: unit.path } }
            }
            (None, Some(path)) => Group { name: path.clone(), kind: GroupKind::Unit { cgroup: Some(path) } },
            (None, None) => {
                let user = self.users.of_process(procfs.root(), pid, uid);
                match self.by {
                    GroupBy::User => processes(user),
                    GroupBy::Pid => processes(format!("{user} {} {pid}", self.exe(procfs, pid, stat))),
                    _ => processes(format!("{user} {}", self.exe(procfs, pid, stat))),
                }
            }
        };
        let id = self.intern(group);
        if let Some(uid) = uid {
            self.learned.insert((uid, stat.comm.clone()), id);
        }
        id
    }

    /// The group of a process that ended before it could be examined: its parent's unit, else the group of earlier
    /// processes of its user and name, else one by user and name.
    pub(crate) fn of_ended(&mut self, uid: u32, comm: &str, parent: Option<GroupId>) -> GroupId {
        if parent.is_some_and(|id| self.get(id).name == WAY && self.get(id).kind == GroupKind::Own) {
            return self.way();
        }
        let parent_is_unit = parent.filter(|id| matches!(self.get(*id).kind, GroupKind::Unit { .. }));
        if let Some(unit) = parent_is_unit {
            return unit;
        }
        if self.by == GroupBy::User {
            let user = self.users.here(Some(uid));
            return self.intern(processes(user));
        }
        let comm: String = comm.chars().take(COMM_LEN).collect();
        if self.by != GroupBy::Pid
            && let Some(id) = self.learned.get(&(uid, comm.clone()))
        {
            return *id;
        }
        let name = format!("{} {comm}", self.users.here(Some(uid)));
        self.intern(processes(name))
    }

    /// Must be called before [`way`](Self::way).
    fn client(&mut self) -> GroupId {
        self.intern(Group { name: CLIENT.into(), kind: GroupKind::Own })
    }

    fn way(&mut self) -> GroupId {
        self.client();
        self.intern(Group { name: WAY.into(), kind: GroupKind::Own })
    }

    fn intern(&mut self, group: Group) -> GroupId {
        if let Some(id) = self.ids.get(&group) {
            return *id;
        }
        let id = GroupId(self.all.len() as u32);
        self.all.push(group.clone());
        self.ids.insert(group, id);
        id
    }

    /// The executable's file name; the kernel's short name if the link is unreadable.
    fn exe(&mut self, procfs: &ProcFs, pid: i32, stat: &Stat) -> String {
        match procfs.link_of_process(pid, "exe") {
            Ok(path) => {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                // The executable was replaced while it runs, for instance by an upgrade.
                name.strip_suffix(" (deleted)").map_or(name.clone(), ToOwned::to_owned)
            }
            Err(error) => {
                self.some_exe_hidden |= error.kind() == std::io::ErrorKind::PermissionDenied && !self.may_trace;
                stat.comm.clone()
            }
        }
    }
}

fn processes(name: String) -> Group {
    Group { name, kind: GroupKind::Processes }
}

#[cfg(test)]
mod tests;
