//! The principal types are [`ProbeAsk`] and [`ProbeAnswer`]: messages about counters.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};
use unladen_probe::{Counter, Group, GroupBy, GroupKind, Unit};

use crate::far_times::FarTimes;
use crate::standpoint::{Standpoint, Witness};

pub(crate) const MAX_GROUPS: usize = 10_000;
pub(crate) const MAX_COUNTERS: usize = 512;
/// In bytes; a group's name is cut there.
pub(crate) const MAX_NAME: usize = 256;
/// Maximum length of a sentence about a counter, bytes.
pub(crate) const MAX_TEXT: usize = 4096;
/// Maximum processes in one question: those of all hosts of a run, and more.
pub(crate) const MAX_WITNESSES: usize = 64;
/// Maximum addresses and groups in one question, and connections in an answer.
pub(crate) const MAX_CONNECTIONS: usize = 256;
/// Maximum groups in the answer for one address.
pub(crate) const MAX_TAKERS: usize = 16;

/// Questions about counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProbeAsk {
    Open {
        by: GroupBy,
    },
    Read {
        id: u64,
    },
    /// Which of these processes are seen there: what is seen in two places would count twice.
    Sees {
        witnesses: Vec<Witness>,
    },
    Takers {
        addresses: Vec<SocketAddr>,
    },
    /// Which addresses the processes of these groups have connected to. The answer takes a third of a second.
    Asked {
        /// By index, at most [`MAX_CONNECTIONS`].
        groups: Vec<u32>,
    },
}

/// Answers about counters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProbeAnswer {
    Opened(Opened),
    /// A part of a reading that is too long for a frame. The rest follows.
    Part {
        id: u64,
        /// Groups not sent before; the first of all has the index 0.
        new_groups: Vec<Group>,
        grown: Vec<FarGrown>,
    },
    Reading {
        id: u64,
        /// ns of the monotonic clock there.
        at_ns: u64,
        new_groups: Vec<Group>,
        /// Growth by group since the previous reading.
        grown: Vec<FarGrown>,
        /// Exit records lost since then: if not 0, the counts are incomplete.
        lost: u64,
        times: FarTimes,
        /// CPU of all readings so far, in ns.
        own_cpu_ns: u64,
    },
    Seen(Vec<bool>),
    Takers(Vec<Vec<u32>>),
    /// Remote ends of connections, at most [`MAX_CONNECTIONS`].
    Asked(Vec<SocketAddr>),
}

/// What is open on the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    pub counters: Vec<FarCounter>,
    pub unavailable: Vec<(String, String)>,
    /// What cannot be counted there, and what it would take.
    pub shortfalls: Vec<FarShortfall>,
    /// CPU of a reading, in ns.
    pub cost_cpu_ns: u64,
    /// Duration of a reading, in ns.
    pub cost_wall_ns: u64,
    pub processors: u32,
    /// Kernel release, such as `6.1.0-18-amd64`.
    pub kernel: String,
    pub standpoint: Standpoint,
}

/// A counter of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarCounter {
    pub name: String,
    /// As [`Unit::as_str`].
    pub unit: String,
    pub title: String,
    pub meaning: String,
    /// Whether that kernel samples it instead of counting it.
    pub approximate: bool,
}

/// Growth of one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarGrown {
    pub group: u32,
    /// Index into [`Opened::counters`], and growth.
    pub counters: Vec<(u16, u64)>,
}

/// Something not counted there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FarShortfall {
    pub missing: String,
    /// Such as "root".
    pub takes: String,
}

// === impl FarCounter ===

impl FarCounter {
    /// The unit; `None` if this version does not know it.
    pub fn known_unit(&self) -> Option<Unit> {
        [Unit::Nanoseconds, Unit::Bytes, Unit::Count].into_iter().find(|unit| unit.into_str() == self.unit)
    }

    /// This version's own counter of the same name, unit and exactness.
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
            unit: counter.unit.into_str().to_owned(),
            title: counter.title.to_owned(),
            meaning: counter.meaning.to_owned(),
            approximate: counter.approximate,
        }
    }
}

/// What is sent of a group.
pub(crate) fn sent(group: &Group) -> Group {
    let kind = match &group.kind {
        // A path that is cut leads nowhere.
        GroupKind::Unit { cgroup } => GroupKind::Unit { cgroup: cgroup.clone().filter(|path| path.len() <= MAX_TEXT) },
        other => other.clone(),
    };
    Group { name: cut(&group.name).to_owned(), kind }
}

fn cut(name: &str) -> &str {
    &name[..name.floor_char_boundary(MAX_NAME)]
}
