//! Page faults: memory touched for the first time (minor) or fetched from disk (major).

use crate::ledger::{Counter, CounterId, Ledger, Unit};
use crate::probe::{Probe, ProbeEntry, Scene};
use crate::procfs::ProbeError;

pub(super) const ENTRY: ProbeEntry = ProbeEntry {
    name: "faults",
    about: "page faults",
    counters: &[
        Counter::exact("minor_faults", Unit::Count, "page faults, minor", "pages mapped in without reading from disk"),
        Counter::exact("major_faults", Unit::Count, "page faults, major", "pages that had to be read from disk"),
    ],
    open: |_, ids| Ok(Box::new(Faults { minor: ids[0], major: ids[1] })),
};

struct Faults {
    minor: CounterId,
    major: CounterId,
}

impl Probe for Faults {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        for process in scene.table.active() {
            let (now, before) = (&process.stat, &process.previous_stat);
            ledger.add(process.group, self.minor, now.minor_faults.saturating_sub(before.minor_faults));
            ledger.add(process.group, self.major, now.major_faults.saturating_sub(before.major_faults));
        }
        for ended in scene.table.ended() {
            // What the last reading saw is in the table of the living or, if the process is gone, of the vanished.
            let seen = scene.table.last_stat(ended.pid).filter(|_| ended.was_seen);
            let (minor, major) = seen.map_or((0, 0), |stat| (stat.minor_faults, stat.major_faults));
            ledger.add(ended.group, self.minor, ended.totals.minor_faults.saturating_sub(minor));
            ledger.add(ended.group, self.major, ended.totals.major_faults.saturating_sub(major));
        }
        Ok(())
    }
}
