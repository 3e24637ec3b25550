//! The principal type is [`Units`]: times of control groups, each without what is told of others that lie within it.
//!
//! The kernel counts for a control group whatever runs in it or below it. A container with a service manager has
//! services below, that of a Quadlet lies below its service, and Unladen itself may run in the unit that it measures, as
//! a job of a CI runner does with the server that the job has started. What is told of these by themselves is not the
//! outer group's too.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::ledger::GroupId;
use crate::procfs::number_after;

/// What a control group has used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Times {
    pub(super) total_ns: u64,
    pub(super) user_ns: u64,
    pub(super) system_ns: u64,
}

/// Times by group.
#[derive(Debug, Default)]
pub(super) struct Units {
    all: HashMap<GroupId, Unit>,
    by_path: HashMap<String, GroupId>,
}

#[derive(Debug)]
struct Unit {
    path: String,
    /// Its `cpu.stat`.
    file: PathBuf,
    last: Option<Times>,
    /// What those within had used and this one's file did not show yet: they are not read at one moment.
    owed_ns: u64,
}

// === impl Times ===

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

// === impl Units ===

impl Units {
    /// The time of a group is read from this file from now on.
    pub(super) fn insert(&mut self, group: GroupId, path: &str, file: PathBuf) {
        self.by_path.insert(path.to_owned(), group);
        self.all.insert(group, Unit { path: path.to_owned(), file, last: None, owed_ns: 0 });
    }

    /// Whether there is one of which nothing has been read yet.
    pub(super) fn has_unread(&self) -> bool {
        self.all.values().any(|unit| unit.last.is_none())
    }

    /// What each has used since the call before. `shown` is what its processes show, of one that came up after the
    /// beginning: its control group may be older, as that of a container in which only services ran until now. `within` are
    /// processes that are told by themselves: the path of the control group that one is in, and what it has used.
    pub(super) fn grown(
        &mut self,
        mut read: impl FnMut(&Path) -> Option<Times>,
        shown: Option<&HashMap<GroupId, Times>>,
        within: impl Iterator<Item = (String, Times)>,
    ) -> Vec<(GroupId, Times)> {
        let (mut grown, mut new) = (Vec::with_capacity(self.all.len()), Vec::new());
        for (group, unit) in &mut self.all {
            // A unit that was stopped takes its control group with it.
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

    /// The nearest of them that this path lies in.
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
mod tests {
    use super::*;

    #[test]
    fn the_microseconds_of_a_control_group_become_nanoseconds() {
        let times = Times::parse(b"usage_usec 15\nuser_usec 10\nsystem_usec 5\nnice_usec 0\n").unwrap();
        assert_eq!(times, Times { total_ns: 15_000, user_ns: 10_000, system_ns: 5_000 });
        assert_eq!(Times::parse(b"usage_usec 15\n"), None);
    }

    fn used(total_ns: u64) -> Times {
        Times { total_ns, user_ns: total_ns / 2, system_ns: total_ns / 2 }
    }

    /// What these paths have grown by, in the order in which they are given, where the kernel says `now` of them.
    fn grown(units: &mut Units, now: &[(&str, u64)], within: &[(&str, u64)]) -> Vec<u64> {
        let read = |file: &Path| now.iter().find(|(path, _)| Path::new(path) == file).map(|(_, total)| used(*total));
        let within = within.iter().map(|(path, total)| ((*path).to_owned(), used(*total)));
        let grown = units.grown(read, None, within);
        let of =
            |path: &str| grown.iter().find(|(group, _)| units.all[group].path == path).map(|(_, used)| used.total_ns);
        now.iter().map(|(path, _)| of(path).unwrap_or_default()).collect()
    }

    fn of(paths: &[&str]) -> Units {
        let mut units = Units::default();
        for (group, path) in (0..).zip(paths) {
            units.insert(GroupId(group), path, PathBuf::from(path));
        }
        units
    }

    /// The time of a service in a container was counted for the service, and for the container once more.
    #[test]
    fn what_lies_within_another_was_counted_twice() {
        let (web, php, job) = ("/lxc.payload.web", "/lxc.payload.web/system.slice/php.service", "/web.service");
        let inner = "/lxc.payload.web/system.slice/php.service/docker/7f";
        let mut units = of(&[web, php, inner, job]);
        assert_eq!(grown(&mut units, &[(web, 0), (php, 0), (inner, 0), (job, 0)], &[]), [0; 4]);
        let now = [(web, 1_000), (php, 700), (inner, 300), (job, 50)];
        assert_eq!(grown(&mut units, &now, &[]), [300, 400, 300, 50]);
        let now = [(web, 1_900), (php, 1_500), (inner, 1_000), (job, 50)];
        assert_eq!(grown(&mut units, &now, &[]), [100, 100, 700, 0]);
    }

    /// A job of a CI runner has the server that it measures in the runner's own unit, and so had the client's time.
    #[test]
    fn the_clients_own_time_was_counted_for_the_unit_that_it_runs_in() {
        let (runner, other) = ("/system.slice/runner.service", "/system.slice/other.service");
        let mut units = of(&[runner, other]);
        assert_eq!(grown(&mut units, &[(runner, 0), (other, 0)], &[]), [0; 2]);
        let within = [("/system.slice/runner.service/job", 400), ("/user.slice/user-0.slice", 9)];
        assert_eq!(grown(&mut units, &[(runner, 1_000), (other, 5)], &within), [600, 5]);
        // Its clock was read earlier than the file, or later: in the end it comes to the same.
        assert_eq!(grown(&mut units, &[(runner, 1_300), (other, 5)], &[(runner, 350)]), [0, 0]);
        assert_eq!(grown(&mut units, &[(runner, 1_500), (other, 5)], &[(runner, 20)]), [130, 0]);
    }

    #[test]
    fn the_root_has_what_is_nobodys() {
        let mut units = of(&["/", "/a", "/a/b.service"]);
        assert_eq!(grown(&mut units, &[("/", 0), ("/a", 0), ("/a/b.service", 0)], &[]), [0; 3]);
        assert_eq!(grown(&mut units, &[("/", 100), ("/a", 60), ("/a/b.service", 10)], &[("/", 5)]), [35, 50, 10]);
    }

    /// A shell in a container that had only services until then: all that the container had ever used was counted at once.
    #[test]
    fn a_group_that_is_new_here_may_be_old() {
        let mut units = of(&["/web"]);
        assert!(units.has_unread());
        assert_eq!(units.grown(|_| Some(used(500)), None, std::iter::empty()), []);
        assert!(!units.has_unread());
        units.insert(GroupId(1), "/new.service", PathBuf::from("/new.service"));
        units.insert(GroupId(2), "/old.service", PathBuf::from("/old.service"));
        let shown = HashMap::from([(GroupId(1), used(90)), (GroupId(2), used(30))]);
        let read = |file: &Path| Some(used(if file.starts_with("/old.service") { 9_000_000 } else { 520 }));
        let mut grown = units.grown(
            |file| if file.starts_with("/new.service") { Some(used(80)) } else { read(file) },
            Some(&shown),
            std::iter::empty(),
        );
        grown.sort_unstable_by_key(|(group, _)| *group);
        assert_eq!(grown, [(GroupId(0), used(20)), (GroupId(1), used(80)), (GroupId(2), used(30))]);
        assert_eq!(units.grown(|_| None, None, std::iter::empty()), []);
    }
}
