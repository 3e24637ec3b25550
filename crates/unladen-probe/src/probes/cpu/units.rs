//! The principal type is [`Units`]: times of control groups, each without nested ones that are accounted separately.
//!
//! The kernel counts for a control group whatever runs in it or below it. A container with a service manager has
//! services below, that of a Quadlet lies below its service, and Unladen itself may run in the unit that it measures,
//! as a CI job does with the server that it started. These are not counted again for the outer group.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::ledger::GroupId;
use crate::procfs::number_after;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Times {
    pub(super) total_ns: u64,
    pub(super) user_ns: u64,
    pub(super) system_ns: u64,
}

#[derive(Debug, Default)]
pub(super) struct Units {
    all: HashMap<GroupId, Unit>,
    by_path: HashMap<String, GroupId>,
}

#[derive(Debug)]
struct Unit {
    path: String,
    file: PathBuf,
    last: Option<Times>,
    /// Time used by nested ones that this file did not show yet, as they are not read at the same moment.
    owed_ns: u64,
}

impl Times {
    /// cpu.stat of a v2 control group, in microseconds.
    pub(super) fn parse(cpu_stat: &[u8]) -> Option<Self> {
        let ns = |key| number_after(cpu_stat, key).map(|us| us.saturating_mul(1_000));
        Some(Self { total_ns: ns(b"usage_usec")?, user_ns: ns(b"user_usec")?, system_ns: ns(b"system_usec")? })
    }

    fn less(self, other: Self) -> Self {
        self.combine(other, u64::saturating_sub)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        self.combine(other, u64::saturating_add)
    }

    fn combine(self, other: Self, each: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            total_ns: each(self.total_ns, other.total_ns),
            user_ns: each(self.user_ns, other.user_ns),
            system_ns: each(self.system_ns, other.system_ns),
        }
    }
}

impl Units {
    pub(super) fn insert(&mut self, group: GroupId, path: &str, file: PathBuf) {
        self.by_path.insert(path.to_owned(), group);
        self.all.insert(group, Unit { path: path.to_owned(), file, last: None, owed_ns: 0 });
    }

    pub(super) fn has_unread(&self) -> bool {
        self.all.values().any(|unit| unit.last.is_none())
    }

    /// Time that each has used since the last call. `shown` is what the processes of a later group show: its control
    /// group may be older, as that of a container in which only services ran until now. `within` are processes
    /// accounted separately: the path of each one's control group, and its time.
    pub(super) fn grown(
        &mut self,
        mut read: impl FnMut(&Path) -> Option<Times>,
        shown: Option<&HashMap<GroupId, Times>>,
        within: impl Iterator<Item = (String, Times)>,
    ) -> Vec<(GroupId, Times)> {
        let (mut grown, mut new) = (Vec::with_capacity(self.all.len()), Vec::new());
        for (group, unit) in &mut self.all {
            // Stopping a unit removes its control group.
            let Some(now) = read(&unit.file) else { continue };
            match unit.last.replace(now) {
                Some(before) => grown.push((*group, now.less(before))),
                None => new.extend(shown.and_then(|shown| Some((*group, now.combine(*shown.get(group)?, u64::min))))),
            }
        }
        let mut others: HashMap<GroupId, Times> = HashMap::new();
        let mut other = |outer: Option<GroupId>, used: Times| {
            if let Some(outer) = outer {
                let sum = others.entry(outer).or_default();
                *sum = sum.plus(used);
            }
        };
        for (group, used) in grown.iter().chain(&new) {
            other(self.all.get(group).and_then(|unit| self.above(&unit.path)), *used);
        }
        for (path, used) in within {
            other(self.by_path.get(&path).copied().or_else(|| self.above(&path)), used);
        }
        for (group, used) in &mut grown {
            let Some(unit) = self.all.get_mut(group) else { continue };
            let mut others = others.remove(group).unwrap_or_default();
            others.total_ns = others.total_ns.saturating_add(unit.owed_ns);
            unit.owed_ns = others.total_ns.saturating_sub(used.total_ns);
            *used = used.less(others);
        }
        grown.extend(new);
        grown
    }

    fn above(&self, path: &str) -> Option<GroupId> {
        let mut path = path;
        while let Some((above, name)) = path.rsplit_once('/') {
            if above.is_empty() {
                return (!name.is_empty()).then(|| self.by_path.get("/").copied()).flatten();
            }
            if let Some(group) = self.by_path.get(above) {
                return Some(*group);
            }
            path = above;
        }
        None
    }
}

#[cfg(test)]
mod tests;
