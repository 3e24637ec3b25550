//! Processes started.

use crate::ledger::{Counter, CounterId, Ledger, Unit};
use crate::probe::{Probe, ProbeEntry, Scene};
use crate::procfs::ProbeError;

pub(super) const ENTRY: ProbeEntry = ProbeEntry {
    name: "starts",
    about: "processes started, also those that ended at once",
    counters: &[Counter::exact(
        "processes_started",
        Unit::Count,
        "processes started",
        "processes that began in this group",
    )],
    open: |_, ids| Ok(Box::new(Starts { started: ids[0] })),
};

struct Starts {
    started: CounterId,
}

impl Probe for Starts {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        for process in scene.table.new_ones() {
            ledger.add(process.group, self.started, 1);
        }
        for ended in scene.table.ended().iter().filter(|ended| !ended.was_seen) {
            ledger.add(ended.group, self.started, 1);
        }
        Ok(())
    }
}
