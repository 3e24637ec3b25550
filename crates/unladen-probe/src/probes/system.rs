//! The machine as a whole, from /proc/stat.

use crate::group::MACHINE;
use crate::ledger::{Counter, CounterId, Ledger, Unit};
use crate::probe::{Probe, ProbeEntry, Scene};
use crate::procfs::{ProbeError, ProcFs, malformed, number_after};

pub(super) const ENTRY: ProbeEntry = ProbeEntry {
    name: "system",
    about: "forks and interrupts of the machine",
    counters: &[
        Counter::exact(
            "forks",
            Unit::Count,
            "forks",
            "processes and threads begun on the machine, the client's included",
        ),
        Counter::exact("interrupts", Unit::Count, "interrupts", "of all devices and timers"),
    ],
    open: |surroundings, ids| {
        totals(surroundings.procfs).map_err(|error| error.to_string())?;
        Ok(Box::new(System { ids, last: None }))
    },
};

struct System {
    ids: Vec<CounterId>,
    last: Option<[u64; 2]>,
}

fn totals(procfs: &mut ProcFs) -> Result<[u64; 2], ProbeError> {
    let content = procfs.file("stat")?;
    number_after(content, b"processes ")
        .zip(number_after(content, b"intr "))
        .map(|(forks, interrupts)| [forks, interrupts])
        .ok_or_else(|| malformed("/proc/stat", "lines `processes N` and `intr N …`", content))
}

impl Probe for System {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        let now = totals(scene.procfs)?;
        if let Some(last) = self.last.replace(now) {
            for ((id, now), last) in self.ids.iter().zip(now).zip(last) {
                ledger.add(MACHINE, *id, now.saturating_sub(last));
            }
        }
        Ok(())
    }
}
