//! On-CPU time, exact to the nanosecond, of living and ended processes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::cgroup;
use crate::group::{Group, GroupKind};
use crate::ledger::{Counter, CounterId, GroupId, Ledger, Unit};
use crate::probe::{Probe, ProbeEntry, Scene, Shortfall, Surroundings};
use crate::process::Process;
use crate::procfs::{ProbeError, number_after};
use crate::taskstats::Record;

pub(super) const ENTRY: ProbeEntry = ProbeEntry {
    name: "cpu",
    about: "on-CPU time of each group, ended processes included",
    counters: &[
        Counter::exact("cpu", Unit::Nanoseconds, "CPU", "time on a processor, all threads, ended processes included"),
        Counter::sampled(
            "cpu_user",
            Unit::Nanoseconds,
            "CPU in user mode",
            "the part of it in the program itself, sampled by ticks",
        ),
        Counter::sampled(
            "cpu_system",
            Unit::Nanoseconds,
            "CPU in the kernel",
            "the part of it in system calls and faults, sampled by ticks",
        ),
    ],
    open: |surroundings, ids| Ok(Box::new(Cpu::open(surroundings, &ids))),
};

/// A clock tick of /proc/PID/stat: USER_HZ is 100 on every architecture that Unladen builds for.
const TICK_NS: u64 = 10_000_000;

struct Cpu {
    total: CounterId,
    user: CounterId,
    system: CounterId,
    hierarchy: Option<cgroup::Hierarchy>,
    has_exit_records: bool,
    sources: HashMap<GroupId, CpuSource>,
    units: Units,
    waiters: HashMap<i32, Waiter>,
}

/// A process that waits for its children. The kernel adds the whole time of a child to its parent's *child times* when
/// the parent waits for it: exact inside, shown in ticks. Time of a child that readings saw is subtracted, so the
/// remainder is time nobody saw. (Exit records will not do: their clock stands at the last timer tick, which for a
/// child of a few ms can be less than half of the truth, and taking down its memory comes later.)
#[derive(Debug, Default)]
struct Waiter {
    /// Time not yet credited, in ns. Signed, because ticks come in steps.
    balance: i64,
    /// Growth of child times, ns.
    waited_ns: u64,
    /// Time of its children by their exit records, ns.
    recorded_ns: u64,
    child_group: Option<GroupId>,
}

impl Waiter {
    /// Child times are not judged before they could have shown this much: two fields of a tick each.
    const DECIDE_AFTER_NS: u64 = 4 * TICK_NS;

    /// Whether it does not wait for its children (SIGCHLD ignored), so that only their records count.
    fn does_not_wait(&self) -> bool {
        self.recorded_ns >= Self::DECIDE_AFTER_NS && self.waited_ns < self.recorded_ns / 4
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CpuSource {
    Processes,
    Cgroup,
}

impl Cpu {
    fn open(surroundings: &Surroundings<'_>, ids: &[CounterId]) -> Self {
        Self {
            total: ids[0],
            user: ids[1],
            system: ids[2],
            hierarchy: surroundings.hierarchy.cloned(),
            has_exit_records: surroundings.has_exit_records,
            sources: HashMap::new(),
            units: Units::default(),
            waiters: HashMap::new(),
        }
    }

    /// Whether the group's processes are added up, rather than its control group read.
    fn by_processes(&mut self, id: GroupId, group: &Group) -> bool {
        let (hierarchy, units) = (self.hierarchy.as_ref(), &mut self.units);
        let source = self.sources.entry(id).or_insert_with(|| {
            let GroupKind::Unit { cgroup: Some(path) } = &group.kind else { return CpuSource::Processes };
            match hierarchy.map(|hierarchy| hierarchy.cpu_stat(path)).filter(|file| cgroup::is_readable(file)) {
                Some(file) => {
                    units.insert(id, path, file);
                    CpuSource::Cgroup
                }
                None => CpuSource::Processes,
            }
        });
        *source == CpuSource::Processes
    }

    fn read_units(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) {
        let within = told_by_themselves(scene);
        let is_wanted = self.units.has_unread() && !scene.table.is_first_look();
        let shown = is_wanted.then(|| shown_by_processes(scene));
        let read = |file: &Path| scene.procfs.absolute(file).ok().and_then(Times::parse);
        for (group, grown) in self.units.grown(read, shown.as_ref(), within.into_iter()) {
            ledger.add(group, self.total, grown.total_ns);
            ledger.add(group, self.user, grown.user_ns);
            ledger.add(group, self.system, grown.system_ns);
        }
    }

    fn credit_children(&mut self, scene: &Scene<'_>, ledger: &mut Ledger) {
        for parent in scene.table.active().filter(|process| !process.is_new) {
            let ticks = parent.stat.children_ticks.saturating_sub(parent.previous_stat.children_ticks);
            if ticks > 0 {
                let waiter = self.waiters.entry(parent.pid).or_default();
                let ns = ticks.saturating_mul(TICK_NS);
                waiter.waited_ns = waiter.waited_ns.saturating_add(ns);
                waiter.balance = waiter.balance.saturating_add_unsigned(ns);
            }
        }
        for child in scene.table.vanished() {
            // The parent's child times may show it only at the next reading.
            if let Some(waiter) = scene.table.waiter_of(child).map(|pid| self.waiters.entry(pid).or_default()) {
                let childrens = child.stat.children_ticks.saturating_mul(TICK_NS);
                waiter.balance = waiter.balance.saturating_sub_unsigned(child.cpu_ns.saturating_add(childrens));
            }
        }
        for ended in scene.table.ended() {
            let waiter = ended.waiter.map(|pid| self.waiters.entry(pid).or_default());
            let by_record = match waiter {
                Some(waiter) => {
                    waiter.recorded_ns = waiter.recorded_ns.saturating_add(ended.cpu_grown_ns);
                    waiter.child_group = Some(ended.group);
                    waiter.does_not_wait()
                }
                None => true,
            };
            if by_record && self.by_processes(ended.group, scene.groups.get(ended.group)) {
                ledger.add(ended.group, self.total, ended.cpu_grown_ns);
            }
        }
        let due: Vec<(i32, u64)> = self
            .waiters
            .iter_mut()
            .filter(|(_, waiter)| waiter.balance > 0)
            .map(|(pid, waiter)| (*pid, std::mem::take(&mut waiter.balance).unsigned_abs()))
            .collect();
        for (pid, ns) in due {
            for (group, ns) in self.shares_of(pid, ns, scene) {
                if self.by_processes(group, scene.groups.get(group)) {
                    ledger.add(group, self.total, ns);
                }
            }
        }
        for pid in scene.table.gone() {
            self.waiters.remove(&pid);
        }
    }

    /// Splits the time of a process's ended children among their groups in proportion to their records; without records
    /// it goes to the latest child's group, or the parent's.
    fn shares_of(&self, parent: i32, ns: u64, scene: &Scene<'_>) -> Vec<(GroupId, u64)> {
        let mut by_group: HashMap<GroupId, u64> = HashMap::new();
        for ended in scene.table.ended().iter().filter(|ended| ended.waiter == Some(parent)) {
            *by_group.entry(ended.group).or_default() += ended.totals.cpu_ns.max(1);
        }
        let recorded: u64 = by_group.values().sum();
        if recorded == 0 {
            let latest = self.waiters.get(&parent).and_then(|waiter| waiter.child_group);
            return latest.or_else(|| scene.table.group_of(parent)).map(|group| (group, ns)).into_iter().collect();
        }
        let share = |part: u64| (u128::from(ns) * u128::from(part) / u128::from(recorded)) as u64;
        by_group.into_iter().map(|(group, part)| (group, share(part))).collect()
    }
}

fn grown(process: &Process) -> Times {
    let ticks = |now: u64, before: u64| now.saturating_sub(before).saturating_mul(TICK_NS);
    Times {
        total_ns: process.cpu_grown_ns,
        user_ns: ticks(process.stat.user_ticks, process.previous_stat.user_ticks),
        system_ns: ticks(process.stat.system_ticks, process.previous_stat.system_ticks),
    }
}

/// Processes accounted separately from the unit of their control group: Unladen's own and kernel threads. With the
/// paths of their control groups.
fn told_by_themselves(scene: &mut Scene<'_>) -> Vec<(String, Times)> {
    let mut all = Vec::new();
    for process in scene.table.active() {
        let path = match scene.groups.get(process.group).kind {
            GroupKind::Own => {
                scene.procfs.of_process(process.pid, "cgroup").ok().and_then(cgroup::path_of).map(str::to_owned)
            }
            GroupKind::Kernel => Some("/".to_owned()),
            GroupKind::Machine | GroupKind::Unit { .. } | GroupKind::Processes => None,
        };
        all.extend(path.map(|path| (path, grown(process))));
    }
    all
}

fn shown_by_processes(scene: &Scene<'_>) -> HashMap<GroupId, Times> {
    let mut all: HashMap<GroupId, Times> = HashMap::new();
    let living = scene.table.active().map(|process| (process.group, grown(process)));
    let ended = scene.table.ended().iter().map(|ended| {
        let Record { user_ns, system_ns, .. } = ended.totals;
        (ended.group, Times { total_ns: ended.cpu_grown_ns, user_ns, system_ns })
    });
    for (group, used) in living.chain(ended) {
        let sum = all.entry(group).or_default();
        *sum = sum.plus(used);
    }
    all
}

impl Probe for Cpu {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        for process in scene.table.active() {
            if !self.by_processes(process.group, scene.groups.get(process.group)) {
                continue;
            }
            ledger.add(process.group, self.total, process.cpu_grown_ns);
            let grown = grown(process);
            ledger.add(process.group, self.user, grown.user_ns);
            ledger.add(process.group, self.system, grown.system_ns);
        }
        for ended in scene.table.ended().iter().filter(|ended| !ended.was_seen) {
            if self.by_processes(ended.group, scene.groups.get(ended.group)) {
                ledger.add(ended.group, self.user, ended.totals.user_ns);
                ledger.add(ended.group, self.system, ended.totals.system_ns);
            }
        }
        self.credit_children(scene, ledger);
        self.read_units(scene, ledger);
        Ok(())
    }

    fn shortfall(&self) -> Option<Shortfall> {
        // The kernel reports ends of processes only to the machine's own PID namespace.
        let is_root = nix::unistd::geteuid().is_root();
        (!self.has_exit_records).then_some(Shortfall {
            missing: "counts of processes that live only between two readings, except their CPU (credited to their \
                parents)",
            takes: if is_root { "root outside of a container" } else { "root" },
        })
    }
}

// The kernel counts for a control group whatever runs in it or below it. A container with a service manager has
// services below, that of a Quadlet lies below its service, and Unladen itself may run in the unit that it measures,
// as a CI job does with the server that it started. These are not counted again for the outer group.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Times {
    total_ns: u64,
    user_ns: u64,
    system_ns: u64,
}

/// Times of control groups, each without nested ones that are accounted separately.
#[derive(Debug, Default)]
struct Units {
    all: HashMap<GroupId, ControlGroup>,
    by_path: HashMap<String, GroupId>,
}

#[derive(Debug)]
struct ControlGroup {
    path: String,
    file: PathBuf,
    last: Option<Times>,
    /// Time used by nested ones that this file did not show yet, as they are not read at the same moment.
    owed_ns: u64,
}

impl Times {
    /// cpu.stat of a v2 control group, in microseconds.
    fn parse(cpu_stat: &[u8]) -> Option<Self> {
        let ns = |key| number_after(cpu_stat, key).map(|us| us.saturating_mul(1_000));
        Some(Self { total_ns: ns(b"usage_usec")?, user_ns: ns(b"user_usec")?, system_ns: ns(b"system_usec")? })
    }

    fn less(self, other: Self) -> Self {
        self.combine(other, u64::saturating_sub)
    }

    fn plus(self, other: Self) -> Self {
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
    fn insert(&mut self, group: GroupId, path: &str, file: PathBuf) {
        self.by_path.insert(path.to_owned(), group);
        self.all.insert(group, ControlGroup { path: path.to_owned(), file, last: None, owed_ns: 0 });
    }

    fn has_unread(&self) -> bool {
        self.all.values().any(|unit| unit.last.is_none())
    }

    /// Time that each has used since the last call. `shown` is what the processes of a later group show: its control
    /// group may be older, as that of a container in which only services ran until now. `within` are processes
    /// accounted separately: the path of each one's control group, and its time.
    fn grown(
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
