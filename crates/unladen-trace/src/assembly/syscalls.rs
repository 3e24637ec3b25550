//! The principal type is [`Syscalls`]: calls that the kernel counts instead of sending events.

use std::collections::BTreeMap;

use ::syscalls::Sysno;
use nix::errno::Errno;

use crate::event::{Count, Countable};
use crate::evidence::{CPU_TRACED, Counted, CounterSeen, Evidence, SyscallSeen};

/// Processes with less than this part of the greatest certainty do not answer as many of the requests.
const AS_CERTAIN: f64 = 0.7;

#[derive(Debug, Default)]
pub(super) struct Syscalls {
    counted: BTreeMap<(usize, Countable), Counted>,
    /// By group and process.
    busy: BTreeMap<(usize, u32), Busy>,
}

/// How a process follows the requests: its calls in each phase, positive with requests and negative without.
#[derive(Debug, Default)]
struct Busy {
    /// The current phase, and its calls so far.
    phase: usize,
    calls: f64,
    /// Without the current phase.
    sum: f64,
    squares: f64,
}

impl Syscalls {
    pub(super) fn count(&mut self, count: &Count, phase: usize, on: bool) {
        let counted = self.counted.entry((count.group as usize, count.of)).or_default();
        counted.count.add(phase, count.times);
        counted.time_ns.add(phase, count.time_ns);
        let calls = count.times as f64;
        self.busy.entry((count.group as usize, count.pid)).or_default().add(phase, if on { calls } else { -calls });
    }

    /// The process of a group that did most while requests ran, among those that follow them about as certainly as any:
    /// by chance, a busy neighbour may have more calls in these phases.
    pub(super) fn busiest(&self, group: usize) -> Option<u32> {
        let of_group = || self.busy.iter().filter(|((of, _), _)| *of == group);
        let most = of_group().map(|(_, busy)| busy.certainty()).max_by(f64::total_cmp)?;
        of_group()
            .filter(|(_, busy)| busy.certainty() >= most.min(most * AS_CERTAIN))
            .max_by(|(_, a), (_, b)| a.whole().0.total_cmp(&b.whole().0))
            .map(|((_, pid), _)| *pid)
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
                    evidence.counters.push(CounterSeen { group, name: CPU_TRACED.into(), count: counted.time_ns });
                }
            }
        }
    }
}

impl Busy {
    fn add(&mut self, phase: usize, calls: f64) {
        if phase != self.phase {
            (self.sum, self.squares) = self.whole();
            (self.phase, self.calls) = (phase, 0.0);
        }
        self.calls += calls;
    }

    fn whole(&self) -> (f64, f64) {
        (self.sum + self.calls, self.squares + self.calls * self.calls)
    }

    /// The difference in units of its standard error under no effect: the root of the number of phases with requests
    /// for a process that does the same in each and nothing else, some 1 or less for one that does as much without
    /// requests.
    fn certainty(&self) -> f64 {
        let (sum, squares) = self.whole();
        if squares > 0.0 { sum / squares.sqrt() } else { 0.0 }
    }
}

/// `ENOENT`
pub(super) fn error_name(errno: u16) -> String {
    // Internal codes for calls interrupted by a signal (include/linux/errno.h), named as in strace.
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
