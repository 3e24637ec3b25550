//! Pressure stall information: time in which some task waited for a processor, memory or disk
//! (Documentation/accounting/psi.rst).

use unladen_machine::some_pressure_ns;

use crate::group::MACHINE;
use crate::ledger::{Counter, CounterId, Ledger, Unit};
use crate::probe::{Probe, ProbeEntry, Scene};
use crate::procfs::ProbeError;

pub(super) const ENTRY: ProbeEntry = ProbeEntry {
    name: "pressure",
    about: "time in which tasks waited for CPU, memory or disk, where the kernel accounts for it",
    counters: &[
        Counter::exact(
            "pressure_cpu",
            Unit::Nanoseconds,
            "waited for CPU",
            "some task was ready to run and had no processor",
        ),
        Counter::exact("pressure_io", Unit::Nanoseconds, "waited for disk", "some task waited for storage"),
        Counter::exact(
            "pressure_memory",
            Unit::Nanoseconds,
            "waited for memory",
            "some task waited for memory to be reclaimed",
        ),
    ],
    open: |surroundings, ids| {
        if surroundings.procfs.file("pressure/cpu").is_err() {
            return Err("the kernel does not account for pressure (boot with psi=1)".into());
        }
        Ok(Box::new(Pressure { ids, last: [None; 3] }))
    },
};

const FILES: [&str; 3] = ["pressure/cpu", "pressure/io", "pressure/memory"];

struct Pressure {
    ids: Vec<CounterId>,
    last: [Option<u64>; 3],
}

impl Probe for Pressure {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        for ((file, id), last) in FILES.iter().zip(&self.ids).zip(&mut self.last) {
            let now = scene.procfs.file(file).ok().and_then(some_pressure_ns);
            if let (Some(now), Some(before)) = (now, *last) {
                ledger.add(MACHINE, *id, now.saturating_sub(before));
            }
            *last = now;
        }
        Ok(())
    }
}
