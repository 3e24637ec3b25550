//! The principal types are [`ProbeAsk`] and [`ProbeAnswer`]: what is said of counters.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};
use unladen_probe::{Counter, Group, GroupBy, GroupKind, Unit};

use crate::far_times::FarTimes;
use crate::standpoint::{Standpoint, Witness};

/// Most groups of one host.
pub(crate) const MAX_GROUPS: usize = 10_000;
/// Most counters of one host.
pub(crate) const MAX_COUNTERS: usize = 512;
/// Longest name of a group or counter, in bytes; a group's is cut there.
pub(crate) const MAX_NAME: usize = 256;
/// Longest sentence about a counter, in bytes.
pub(crate) const MAX_TEXT: usize = 4096;
/// Most processes that are asked for at once: those of all hosts of a run, and more.
pub(crate) const MAX_WITNESSES: usize = 64;
/// Most addresses and groups that are asked for at once, and most connections that are told.
pub(crate) const MAX_CONNECTIONS: usize = 256;
/// Most groups that are told of one address.
pub(crate) const MAX_TAKERS: usize = 16;

/// What is asked of counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProbeAsk {
    /// To open all probes. Once in a session.
    Open {
        /// How processes are put together.
        by: GroupedBy,
    },
    /// To read all counters.
    Read {
        /// Of this question.
        id: u64,
    },
    /// Which of these processes are seen there: what is seen at two places would count twice.
    Sees {
        /// At most [`MAX_WITNESSES`].
        witnesses: Vec<Witness>,
    },
    /// Who listens at these addresses there.
    Takers {
        /// At most [`MAX_CONNECTIONS`].
        addresses: Vec<SocketAddr>,
    },
    /// Whom the processes of these groups have asked for a connection. The answer takes a third of a second.
    Asked {
        /// By index, at most [`MAX_CONNECTIONS`].
        groups: Vec<u32>,
    },
}

/// What is answered of counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProbeAnswer {
    /// The probes are open.
    Opened(Opened),
    /// A part of a reading, where it is too long for a frame. The rest follows.
    Part {
        /// Of the question.
        id: u64,
        /// Groups that were not told before; the first of all has the index 0.
        new_groups: Vec<FarGroup>,
        /// By group, what has grown.
        grown: Vec<FarGrown>,
    },
    /// A reading, or the last part of it.
    Reading {
        /// Of the question.
        id: u64,
        /// When: ns of the monotonic clock there.
        at_ns: u64,
        /// Groups that were not told before.
        new_groups: Vec<FarGroup>,
        /// By group, what has grown since the reading before.
        grown: Vec<FarGrown>,
        /// How often exit records were lost since then: what was counted is incomplete if this is not 0.
        lost: u64,
        /// What the machine did since then.
        times: FarTimes,
        /// What all readings have taken of a processor so far, in ns.
        own_cpu_ns: u64,
    },
    /// Of each process that was asked for, whether it is seen.
    Seen(Vec<bool>),
    /// Of each address that was asked for, the groups of those who listen there, by index.
    Takers(Vec<Vec<u32>>),
    /// The other ends of connections, at most [`MAX_CONNECTIONS`].
    Asked(Vec<SocketAddr>),
}

/// What is open there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// What is counted; amounts refer to it by index.
    pub counters: Vec<FarCounter>,
    /// Probes that the system there has nothing for, and why.
    pub unavailable: Vec<(String, String)>,
    /// What cannot be counted there, and what it would take.
    pub shortfalls: Vec<FarShortfall>,
    /// What a reading takes of a processor, in ns.
    pub cost_cpu_ns: u64,
    /// What a reading takes from its beginning to its end, in ns.
    pub cost_wall_ns: u64,
    /// Clock ticks and the like that the machine there says of itself: its number of processors.
    pub processors: u32,
    /// The release of its kernel, such as `6.1.0-18-amd64`.
    pub kernel: String,
    /// From where it is counted.
    pub standpoint: Standpoint,
}

/// Something counted there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarCounter {
    /// Its stable name in results.
    pub name: String,
    /// As [`Unit::as_str`].
    pub unit: String,
    /// What a table calls it.
    pub title: String,
    /// What exactly is counted.
    pub meaning: String,
    /// Whether the kernel there samples it instead of counting it.
    pub approximate: bool,
}

/// A group of processes there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FarGroup {
    /// `php8.2-fpm.service`, `www-data nginx`, `machine`.
    pub name: String,
    pub kind: FarGroupKind,
}

/// What kind of group it is: as [`GroupKind`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FarGroupKind {
    /// The machine as a whole.
    Machine,
    /// The agent itself.
    Own,
    /// Threads of the kernel.
    Kernel,
    /// A systemd unit, a container or a control group; with its path in the v2 hierarchy.
    Unit {
        /// `None` where only a v1 hierarchy names it.
        cgroup: Option<String>,
    },
    /// Processes of one user and executable, of one user, or one process.
    Processes,
}

/// What has grown of one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarGrown {
    /// Which group: the number of groups told before it.
    pub group: u32,
    /// Which counters of [`Opened::counters`], and by how much.
    pub counters: Vec<(u16, u64)>,
}

/// Something not counted there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarShortfall {
    pub missing: String,
    /// What it takes, such as "root".
    pub takes: String,
}

/// How processes are put together: as [`GroupBy`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupedBy {
    /// By unit or container, else by user and executable.
    Auto,
    /// By control group.
    Cgroup,
    /// By user and executable.
    Exe,
    User,
    /// Each process for itself.
    Pid,
}

// === impl FarCounter ===

impl FarCounter {
    /// The unit; `None` if this version does not know it.
    pub fn known_unit(&self) -> Option<Unit> {
        [Unit::Nanoseconds, Unit::Bytes, Unit::Count].into_iter().find(|unit| unit.as_str() == self.unit)
    }

    /// The counter of this version's own probes that has the same name, unit and exactness.
    pub fn known(&self) -> Option<&'static Counter> {
        let all = unladen_probe::PROBES.iter().flat_map(|entry| entry.counters);
        let same = |counter: &&Counter| {
            counter.name == self.name
                && Some(counter.unit) == self.known_unit()
                && counter.approximate == self.approximate
        };
        all.into_iter().find(same)
    }
}

impl From<&Counter> for FarCounter {
    fn from(counter: &Counter) -> Self {
        Self {
            name: counter.name.to_owned(),
            unit: counter.unit.as_str().to_owned(),
            title: counter.title.to_owned(),
            meaning: counter.meaning.to_owned(),
            approximate: counter.approximate,
        }
    }
}

// === impl FarGroup ===

impl From<&Group> for FarGroup {
    fn from(group: &Group) -> Self {
        let kind = match &group.kind {
            GroupKind::Machine => FarGroupKind::Machine,
            GroupKind::Own => FarGroupKind::Own,
            GroupKind::Kernel => FarGroupKind::Kernel,
            GroupKind::Unit { cgroup } => {
                // A path that is cut leads nowhere.
                FarGroupKind::Unit { cgroup: cgroup.clone().filter(|path| path.len() <= MAX_TEXT) }
            }
            GroupKind::Processes => FarGroupKind::Processes,
        };
        Self { name: cut(&group.name).to_owned(), kind }
    }
}

impl From<&FarGroup> for Group {
    fn from(group: &FarGroup) -> Self {
        let kind = match &group.kind {
            FarGroupKind::Machine => GroupKind::Machine,
            FarGroupKind::Own => GroupKind::Own,
            FarGroupKind::Kernel => GroupKind::Kernel,
            FarGroupKind::Unit { cgroup } => GroupKind::Unit { cgroup: cgroup.clone() },
            FarGroupKind::Processes => GroupKind::Processes,
        };
        Self { name: group.name.clone(), kind }
    }
}

/// The first [`MAX_NAME`] bytes, in whole characters.
fn cut(name: &str) -> &str {
    &name[..name.floor_char_boundary(MAX_NAME)]
}

// === impl GroupedBy ===

impl From<GroupBy> for GroupedBy {
    fn from(by: GroupBy) -> Self {
        match by {
            GroupBy::Auto => Self::Auto,
            GroupBy::Cgroup => Self::Cgroup,
            GroupBy::Exe => Self::Exe,
            GroupBy::User => Self::User,
            GroupBy::Pid => Self::Pid,
        }
    }
}

impl From<GroupedBy> for GroupBy {
    fn from(by: GroupedBy) -> Self {
        match by {
            GroupedBy::Auto => Self::Auto,
            GroupedBy::Cgroup => Self::Cgroup,
            GroupedBy::Exe => Self::Exe,
            GroupedBy::User => Self::User,
            GroupedBy::Pid => Self::Pid,
        }
    }
}
