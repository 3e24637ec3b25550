//! CPU clocks: a process's exact on-CPU time for one system call, without privilege.

use nix::time::{ClockId, clock_gettime};

/// On-CPU time in ns of all threads of a process, ended ones included; `None` if there is no such process.
///
/// The clock's id is derived from the pid as the kernel does (`CPUCLOCK_SCHED` in include/linux/posix-timers.h):
/// clock_getcpuclockid(3) derives the same, but takes a second system call to check it.
pub(crate) fn process_cpu_ns(pid: i32) -> Option<u64> {
    const CPUCLOCK_SCHED: i32 = 2;
    nanoseconds(ClockId::from_raw((!pid) << 3 | CPUCLOCK_SCHED))
}

pub(crate) fn thread_cpu_ns() -> u64 {
    nanoseconds(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap_or(0)
}

/// Monotonic clock in ns, the same as that of [`Instant`](std::time::Instant) and of the kernel's traces.
pub fn monotonic_ns() -> u64 {
    nanoseconds(ClockId::CLOCK_MONOTONIC).unwrap_or(0)
}

fn nanoseconds(clock: ClockId) -> Option<u64> {
    let time = clock_gettime(clock).ok()?;
    Some(u64::try_from(time.tv_sec()).ok()? * 1_000_000_000 + u64::try_from(time.tv_nsec()).ok()?)
}

#[cfg(test)]
mod tests;
