//! The principal type is [`Process`]: resource use of this process, as Prometheus' own clients report it.

use std::fs;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::{SysconfVar, sysconf};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Process {
    /// CPU time of all its threads, in user and kernel mode.
    pub(super) cpu: Duration,
    /// Resident memory, bytes.
    pub(super) resident: u64,
    /// Virtual memory, bytes.
    pub(super) addressed: u64,
    pub(super) open_files: u64,
    pub(super) max_files: u64,
}

impl Process {
    /// Reads current values; those that cannot be read are 0.
    pub(super) fn read() -> Self {
        let cpu = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(Duration::from).unwrap_or_default();
        let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let mut pages = statm.split(' ').map(|field| field.parse::<u64>().unwrap_or(0));
        let page = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().and_then(|size| u64::try_from(size).ok()).unwrap_or(0);
        let addressed = pages.next().unwrap_or(0) * page;
        let resident = pages.next().unwrap_or(0) * page;
        // One of them is opened by this reading.
        let open_files = fs::read_dir("/proc/self/fd").map_or(0, |files| files.count().saturating_sub(1)) as u64;
        let max_files = getrlimit(Resource::RLIMIT_NOFILE).map_or(0, |(soft, _)| soft);
        Self { cpu, resident, addressed, open_files, max_files }
    }
}

#[cfg(test)]
mod tests;
