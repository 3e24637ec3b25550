//! The principal type is [`ProcessGroups`]: the groups of samples.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::group::{Group, GroupBy, Groups};
use crate::ledger::GroupId;
use crate::process::Stat;
use crate::procfs::ProcFs;

use super::StackSample;

/// A process is examined again after this time: its id may be reused, and it may be another program.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Beyond these, ended processes are forgotten.
const MOST_KNOWN: usize = 16_384;

/// Groups of processes known by samples alone, named as an [`Instrument`](crate::Instrument) names them.
pub struct ProcessGroups {
    procfs: ProcFs,
    groups: Groups,
    known: HashMap<u32, Known>,
}

struct Known {
    group: GroupId,
    at: Instant,
}

// === impl ProcessGroups ===

impl ProcessGroups {
    /// Starts without processes.
    pub fn open(by: GroupBy) -> Self {
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        Self { procfs: ProcFs::new("/proc"), groups: Groups::new(by, own, true), known: HashMap::new() }
    }

    /// The group of the process that a sample is of. If it has ended meanwhile, its parent, user and name decide.
    pub fn of(&mut self, sample: &StackSample) -> GroupId {
        let known = self.known.get(&sample.pid);
        if let Some(known) = known.filter(|known| known.at.elapsed() < LOOK_AGAIN) {
            return known.group;
        }
        // What was learnt while it lived is more reliable than its parent.
        let before = known.map(|known| known.group);
        let living = self.living(sample.pid);
        let group = living.or(before).unwrap_or_else(|| {
            let parent = self.known.get(&sample.parent).map(|known| known.group);
            let parent = parent.or_else(|| self.living(sample.parent));
            self.groups.of_ended(sample.uid, &sample.comm, parent)
        });
        if self.known.len() >= MOST_KNOWN {
            self.known.retain(|_, known| known.at.elapsed() < LOOK_AGAIN);
        }
        self.known.insert(sample.pid, Known { group, at: Instant::now() });
        group
    }

    /// The group with this id.
    pub fn group(&self, id: GroupId) -> &Group {
        self.groups.get(id)
    }

    fn living(&mut self, pid: u32) -> Option<GroupId> {
        let pid = i32::try_from(pid).ok()?;
        let stat = Stat::parse(self.procfs.of_process(pid, "stat").ok()?)?;
        Some(self.groups.of_process(&mut self.procfs, pid, &stat))
    }
}

impl std::fmt::Debug for ProcessGroups {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProcessGroups").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
