//! Context switches. The kernel keeps them by thread, so each thread is read.

use std::collections::HashMap;

use crate::ledger::{Counter, CounterId, Ledger, Unit};
use crate::probe::{Probe, ProbeEntry, Scene};
use crate::procfs::{ProbeError, ProcFs, number_after};

pub(super) const ENTRY: ProbeEntry = ProbeEntry {
    name: "switches",
    about: "context switches, of all threads",
    counters: &[
        Counter::exact(
            "voluntary_switches",
            Unit::Count,
            "switches, voluntary",
            "the thread gave up the processor to wait",
        ),
        Counter::exact(
            "involuntary_switches",
            Unit::Count,
            "switches, involuntary",
            "the processor was taken from the thread",
        ),
    ],
    open: |_, ids| Ok(Box::new(SwitchesProbe { voluntary: ids[0], involuntary: ids[1], last: HashMap::new() })),
};

struct SwitchesProbe {
    voluntary: CounterId,
    involuntary: CounterId,
    last: HashMap<i32, HashMap<i32, Switches>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Switches {
    voluntary: u64,
    involuntary: u64,
}

impl Switches {
    fn parse(status: &[u8]) -> Option<Self> {
        Some(Self {
            voluntary: number_after(status, b"voluntary_ctxt_switches:")?,
            involuntary: number_after(status, b"nonvoluntary_ctxt_switches:")?,
        })
    }

    fn since(&self, earlier: Self) -> Self {
        Self {
            voluntary: self.voluntary.saturating_sub(earlier.voluntary),
            involuntary: self.involuntary.saturating_sub(earlier.involuntary),
        }
    }
}

/// Switches of each thread of a process, except those that end meanwhile.
fn threads_of(procfs: &mut ProcFs, pid: i32, threads: u64) -> Vec<(i32, Switches)> {
    if threads <= 1 {
        // The same file as the main thread's own, by a shorter path.
        let switches = procfs.of_process(pid, "status").ok().and_then(Switches::parse);
        return switches.map(|switches| (pid, switches)).into_iter().collect();
    }
    let tids = procfs.tids(pid).unwrap_or_default();
    let mut found = Vec::with_capacity(tids.len());
    for tid in tids {
        let status = procfs.of_process(pid, &format!("task/{tid}/status"));
        found.extend(status.ok().and_then(Switches::parse).map(|switches| (tid, switches)));
    }
    found
}

impl Probe for SwitchesProbe {
    fn read(&mut self, scene: &mut Scene<'_>, ledger: &mut Ledger) -> Result<(), ProbeError> {
        let is_first = scene.table.is_first_look();
        for process in scene.table.active() {
            let known = self.last.entry(process.pid).or_default();
            if process.is_new {
                known.clear();
            }
            for (tid, now) in threads_of(scene.procfs, process.pid, process.stat.threads) {
                // An unseen thread is new, unless nothing has been seen before.
                let before = known.insert(tid, now).unwrap_or(if is_first { now } else { Switches::default() });
                let grown = now.since(before);
                ledger.add(process.group, self.voluntary, grown.voluntary);
                ledger.add(process.group, self.involuntary, grown.involuntary);
            }
        }
        for ended in scene.table.thread_ends().iter().filter(|_| !is_first) {
            let before = self.last.get_mut(&ended.pid).and_then(|threads| threads.remove(&ended.tid));
            let Some(group) = scene.table.group_of(ended.pid) else { continue };
            let total = Switches { voluntary: ended.voluntary_switches, involuntary: ended.involuntary_switches };
            let grown = total.since(before.unwrap_or_default());
            ledger.add(group, self.voluntary, grown.voluntary);
            ledger.add(group, self.involuntary, grown.involuntary);
        }
        for gone in scene.table.gone() {
            self.last.remove(&gone);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
