//! The principal type is [`Group`]: the owner of a counter.

use std::collections::HashMap;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use indexmap::IndexSet;
use nix::fcntl::{OFlag, OpenHow, ResolveFlag, open, openat2};
use nix::sys::stat::Mode;
use nix::unistd::{Uid, User};
use serde::{Deserialize, Serialize};

use crate::cgroup;
use crate::container_state::ContainerState;
use crate::ledger::GroupId;
use crate::own::Own;
use crate::process::Stat;
use crate::procfs::{ProcFs, effective_uid, reopened};

/// How processes are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, derive_more::Display)]
#[display("{name}")]
pub struct Group {
    /// `php8.2-fpm.service`, `www-data nginx`, `machine`.
    pub name: String,
    pub kind: GroupKind,
}

/// The kernel truncates program names to this.
const COMM_LEN: usize = 15;

/// Names of this process, and of those that connect it.
const CLIENT: &str = "unladen (the client)";
const WAY: &str = "unladen (its way)";

#[derive(Debug)]
pub(crate) struct Groups {
    by: GroupBy,
    all: IndexSet<Group>,
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
            all: IndexSet::new(),
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

    pub(crate) fn all(&self) -> &IndexSet<Group> {
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
        GroupId(self.all.insert_full(group).0 as u32)
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

const MOST_BYTES: u64 = 1 << 20;
/// Longest name accepted, as by useradd(8).
const LONGEST_NAME: usize = 32;
const MOST_KNOWN: usize = 10_000;

/// Names of users. In a container, the same number is another user, by its own list (passwd(5)); in a user namespace it
/// is another number (user_namespaces(7)).
#[derive(Debug, Default)]
pub(crate) struct Users {
    here: HashMap<u32, String>,
    /// By the root folder's device and inode, and the number in the container.
    elsewhere: HashMap<(u64, u64, u32), String>,
    root: Option<(u64, u64)>,
}

impl Users {
    /// A user of this machine; the number if it has no name.
    pub(crate) fn here(&mut self, uid: Option<u32>) -> String {
        let Some(uid) = uid else { return "?".into() };
        let name =
            || User::from_uid(Uid::from_raw(uid)).ok().flatten().map_or_else(|| uid.to_string(), |user| user.name);
        self.here.entry(uid).or_insert_with(name).clone()
    }

    /// The user of a process, by the list in its own root folder if it has one; `proc` is the folder of processes.
    pub(crate) fn of_process(&mut self, proc: &Path, pid: i32, uid: Option<u32>) -> String {
        let Some(number) = uid else { return "?".into() };
        let folder = proc.join(pid.to_string());
        let place = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        let ours = match self.root {
            Some(root) => Some(root),
            None => place(Path::new("/")),
        };
        self.root = ours;
        // Without the right to look (ptrace(2)), all count as the machine's.
        let Some(root) = place(&folder.join("root/")).filter(|root| Some(*root) != ours) else {
            return self.here(uid);
        };
        let inner = std::fs::read_to_string(folder.join("uid_map")).ok();
        let number = inner.as_deref().and_then(|map| inside(map, number)).unwrap_or(number);
        let key = (root.0, root.1, number);
        if let Some(known) = self.elsewhere.get(&key) {
            return known.clone();
        }
        let name = beneath(&folder.join("root"), "etc/passwd")
            .and_then(|text| name_in(&text, number))
            .unwrap_or_else(|| number.to_string());
        if self.elsewhere.len() < MOST_KNOWN {
            self.elsewhere.insert(key, name.clone());
        }
        name
    }
}

/// Translates one of our numbers into a user namespace: lines of first inside, first outside, count
/// (proc_pid_uid_map(5)).
fn inside(uid_map: &str, uid: u32) -> Option<u32> {
    uid_map.lines().find_map(|line| {
        let mut numbers = line.split_ascii_whitespace().map(str::parse::<u32>);
        let (inside, outside, count) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
        let offset = uid.checked_sub(outside).filter(|offset| *offset < count)?;
        inside.checked_add(offset)
    })
}

fn name_in(passwd: &str, uid: u32) -> Option<String> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, number) = (fields.next()?, fields.next()?, fields.next()?);
        let is_name =
            !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(|byte| byte.is_ascii_graphic());
        (number.parse() == Ok(uid) && is_name).then(|| name.to_owned())
    })
}

/// Reads a file beneath a root folder that somebody else fills: links do not lead out of it, only regular files are
/// opened, and nothing blocks.
fn beneath(root: &Path, file: &str) -> Option<String> {
    let file = reopened(found(root, file)?).ok()?;
    let mut text = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

fn found(root: &Path, file: &str) -> Option<OwnedFd> {
    let root: PathBuf = root.join("");
    let folder = open(&root, OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC, Mode::empty()).ok()?;
    let how = OpenHow::new()
        .flags(OFlag::O_PATH | OFlag::O_CLOEXEC)
        .resolve(ResolveFlag::RESOLVE_IN_ROOT | ResolveFlag::RESOLVE_NO_MAGICLINKS);
    openat2(&folder, file, how).ok()
}

#[cfg(test)]
mod tests;
