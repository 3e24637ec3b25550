//! The clock: an event of the kernel's software clock for each processor. The principal function is [`ticks`].

use std::io;

use perf_event::events::Software;
use perf_event::{Builder, Counter};

use crate::trace::TraceError;

/// Online processors as the kernel lists them: `0-3,5`.
const ONLINE: &str = "/sys/devices/system/cpu/online";

/// No machine has more processors.
const MOST_PROCESSORS: usize = 65_536;

pub(super) fn processors() -> Result<Vec<usize>, TraceError> {
    let listed = std::fs::read_to_string(ONLINE).map_err(|error| TraceError::failed("listing processors", error))?;
    listing(&listed).ok_or_else(|| TraceError::failed("listing processors", format!("{ONLINE} has {listed:?}")))
}

fn listing(listed: &str) -> Option<Vec<usize>> {
    let mut processors = Vec::new();
    for range in listed.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        if last >= MOST_PROCESSORS {
            return None;
        }
        processors.extend(first..=last);
    }
    Some(processors)
}

/// The clock of one processor; it stands until a program is attached.
pub(super) fn ticks(processor: usize, frequency: u64) -> Result<Counter, TraceError> {
    Builder::new(Software::CPU_CLOCK)
        .any_pid()
        .one_cpu(processor)
        .include_kernel()
        .exclude_idle(true)
        .sample_frequency(frequency)
        .build()
        .map_err(|error| refusal(&error, frequency))
}

fn refusal(error: &io::Error, frequency: u64) -> TraceError {
    use nix::libc;
    match error.raw_os_error() {
        Some(libc::EACCES | libc::EPERM) => TraceError::NotAllowed,
        Some(libc::EINVAL) => TraceError::failed(
            "opening the kernel's clock",
            format!("{frequency} Hz: {error}: see the sysctl kernel.perf_event_max_sample_rate"),
        ),
        Some(libc::EMFILE) => TraceError::failed("opening the kernel's clock", format!("{error}: raise ulimit -n")),
        _ => TraceError::failed("opening the kernel's clock", error),
    }
}

#[cfg(test)]
mod tests;
