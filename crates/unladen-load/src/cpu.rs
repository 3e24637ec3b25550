//! The CPU time of threads and of this process.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// CPU time of the calling thread; zero if the system does not tell.
pub(crate) fn of_this_thread() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

/// CPU time of this process; zero if the system does not tell.
pub(crate) fn of_this_process() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}
