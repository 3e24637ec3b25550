//! Pressure stall information: time in which some task waited for a processor, for memory or for a
//! disk (Documentation/accounting/psi.rst).

use crate::counter::{Counter, Unit};
use crate::error::ProbeError;
use crate::group::MACHINE;
use crate::ledger::{CounterId, Ledger};
use crate::probe::{Probe, ProbeEntry, Scene};
use crate::procfs::{ProcFs, decimal};

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

/// `some avg10=… total=N`, N in microseconds.
fn some_total_ns(procfs: &mut ProcFs, file: &str) -> Option<u64> {
    let content = procfs.file(file).ok()?;
    let line = content.split(|&byte| byte == b'\n').find(|line| line.starts_with(b"some "))?;
    let at = line.windows(6).position(|window| window == b"total=")?;
    decimal(&line[at + 6..]).map(|us| us.saturating_mul(1_000))
}

impl Probe for Pressure {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        for ((file, id), last) in FILES.iter().zip(&self.ids).zip(&mut self.last) {
            let now = some_total_ns(scene.procfs, file);
            if let (Some(now), Some(before)) = (now, *last) {
                ledger.add(MACHINE, *id, now.saturating_sub(before));
            }
            *last = now;
        }
        Ok(())
    }
}
