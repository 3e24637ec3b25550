//! The principal type is [`Syscalls`]: what the kernel counts, call by call, instead of handing over events.

use std::collections::BTreeMap;

use ::syscalls::Sysno;
use nix::errno::Errno;

use crate::event::{Count, Countable};
use crate::evidence::{Counted, CounterSeen, Evidence, SyscallSeen};

/// Counts by group.
#[derive(Debug, Default)]
pub(super) struct Syscalls {
    counted: BTreeMap<(usize, Countable), Counted>,
    /// Calls by group and process while requests ran, less those while none did.
    busy: BTreeMap<(usize, u32), i64>,
}

// === impl Syscalls ===

impl Syscalls {
    /// Adds what was counted in a phase, in which requests ran or not.
    pub(super) fn count(&mut self, count: &Count, phase: usize, on: bool) {
        let counted = self.counted.entry((count.group as usize, count.of)).or_default();
        counted.count.add(phase, count.times);
        counted.time_ns.add(phase, count.time_ns);
        let calls = i64::try_from(count.times).unwrap_or(i64::MAX);
        let busy = self.busy.entry((count.group as usize, count.pid)).or_default();
        *busy = busy.saturating_add(if on { calls } else { -calls });
    }

    /// The process of a group that did most while requests ran.
    pub(super) fn busiest(&self, group: usize) -> Option<u32> {
        let of_group = self.busy.iter().filter(|((of, _), _)| *of == group);
        of_group.max_by_key(|(_, calls)| **calls).map(|((_, pid), _)| *pid)
    }

    pub(super) fn finish(self, evidence: &mut Evidence) {
        for ((group, countable), counted) in self.counted {
            match countable {
                Countable::Syscall { number, errno } => evidence.syscalls.push(SyscallSeen {
                    group,
                    name: Sysno::new(number as usize)
                        .map_or_else(|| format!("{number}"), |call| call.name().to_owned()),
                    error: (errno != 0).then(|| error_name(errno)),
                    count: counted.count,
                    time_ns: counted.time_ns,
                }),
                Countable::ClassLookup => {
                    evidence.counters.push(CounterSeen {
                        group,
                        name: "php.class_lookups".into(),
                        count: counted.count,
                    });
                }
                Countable::Cpu => {
                    evidence.counters.push(CounterSeen { group, name: "cpu_traced_ns".into(), count: counted.time_ns });
                }
            }
        }
    }
}

/// `ENOENT`
pub(super) fn error_name(errno: u16) -> String {
    // What only the kernel sees, when a signal interrupts a call (include/linux/errno.h); as strace has it.
    let interrupted = match errno {
        512 => Some("ERESTARTSYS"),
        513 => Some("ERESTARTNOINTR"),
        514 => Some("ERESTARTNOHAND"),
        516 => Some("ERESTART_RESTARTBLOCK"),
        _ => None,
    };
    if let Some(name) = interrupted {
        return name.to_owned();
    }
    match Errno::from_raw(i32::from(errno)) {
        Errno::UnknownErrno => format!("error {errno}"),
        known => format!("{known:?}"),
    }
}
