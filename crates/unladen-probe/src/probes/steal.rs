//! Time taken from the machine by its hypervisor (steal), and from control groups by their CPU quotas (throttling).

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use unladen_machine::{ProcessorTimes, Throttled, Throttling, throttled_ns};

use crate::cgroup::Hierarchy;
use crate::group::{Group, GroupKind, MACHINE};
use crate::ledger::{Counter, CounterId, GroupId, Ledger, Unit};
use crate::probe::{Probe, ProbeEntry, Scene, Surroundings};
use crate::procfs::{ProbeError, ProcFs, malformed};

pub(super) const ENTRY: ProbeEntry = ProbeEntry {
    name: "steal",
    about: "time that the hypervisor took from the machine, and CPU quotas from control groups",
    counters: &[
        Counter::exact(
            "stolen",
            Unit::Nanoseconds,
            "stolen by the hypervisor",
            "a virtual processor had work, and the hypervisor ran something else",
        ),
        Counter::exact(
            "throttled",
            Unit::Nanoseconds,
            "throttled",
            "a control group had used up its CPU quota and was held back; under `machine`, unladen's own",
        ),
    ],
    open: |surroundings, ids| Ok(Box::new(Steal::open(surroundings, &ids)?)),
};

struct Steal {
    stolen: CounterId,
    throttled: CounterId,
    last_stolen_ns: Option<u64>,
    own: Throttling,
    last_own: Option<Throttled>,
    hierarchy: Option<Hierarchy>,
    /// Each group's `cpu.stat` and its last value; `None` without one, or without a quota's counts in it.
    units: HashMap<GroupId, Option<(PathBuf, u64)>>,
}

fn stolen_ns(procfs: &mut ProcFs) -> Result<u64, ProbeError> {
    let content = procfs.file("stat")?;
    let times = ProcessorTimes::parse(content);
    times.map(|times| times.stolen_ns).ok_or_else(|| malformed("/proc/stat", "a line `cpu` of all processors", content))
}

impl Steal {
    fn open(surroundings: &mut Surroundings<'_>, ids: &[CounterId]) -> Result<Self, String> {
        stolen_ns(surroundings.procfs).map_err(|error| error.to_string())?;
        Ok(Self {
            stolen: ids[0],
            throttled: ids[1],
            last_stolen_ns: None,
            own: Throttling::of_self(surroundings.procfs.root()),
            last_own: None,
            hierarchy: surroundings.hierarchy.cloned(),
            units: HashMap::new(),
        })
    }

    fn unit(&mut self, procfs: &mut ProcFs, id: GroupId, group: &Group, is_first: bool, ledger: &mut Ledger) {
        let (GroupKind::Unit { cgroup: Some(path) }, Some(hierarchy)) = (&group.kind, &self.hierarchy) else { return };
        let known = self.units.entry(id).or_insert_with(|| {
            let file = hierarchy.cpu_stat(path);
            let now = procfs.absolute(&file).ok().and_then(throttled_ns)?;
            // A group that came up later has counted nothing from before our start.
            Some((file, if is_first { now } else { 0 }))
        });
        let Some((file, last)) = known else { return };
        // Stopping a unit removes its control group.
        let Some(now) = procfs.absolute(file).ok().and_then(throttled_ns) else { return };
        ledger.add(id, self.throttled, now.saturating_sub(*last));
        *last = now;
    }
}

impl Probe for Steal {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        let is_first = self.last_stolen_ns.is_none();
        let now = stolen_ns(scene.procfs)?;
        if let Some(last) = self.last_stolen_ns.replace(now) {
            ledger.add(MACHINE, self.stolen, now.saturating_sub(last));
        }
        let own = self.own.read();
        if let Some(last) = &self.last_own {
            let throttled = u64::try_from(own.since(last).as_nanos()).unwrap_or(u64::MAX);
            ledger.add(MACHINE, self.throttled, throttled);
        }
        self.last_own = Some(own);
        // A group without a process that ran was not throttled either.
        let active: HashSet<GroupId> = if is_first {
            (0_u32..).map(GroupId).take(scene.groups.all().len()).collect()
        } else {
            scene.table.active().map(|process| process.group).collect()
        };
        for id in active {
            self.unit(scene.procfs, id, scene.groups.get(id), is_first, ledger);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
