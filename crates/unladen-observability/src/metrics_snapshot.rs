//! The principal type is [`MetricsSnapshot`]: the complete state at one moment. [`CountsSnapshot`] is the part that is
//! cheap to read.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::{SysconfVar, sysconf};
use unladen_fleet::FleetState;

use super::access_log::LogTotals;
use super::metrics::Totals;
use super::otlp::ExportTotals;
use super::sites::SiteState;
use super::tier_counts::TierState;
use super::troubles::Told;
use super::upstreams::Configured;
use super::wall::Wall;

#[derive(Clone, Debug)]
pub(super) struct MetricsSnapshot {
    pub(super) taken: Wall,
    pub(super) started: Wall,
    /// Since `started`, by the monotonic clock.
    pub(super) uptime: Duration,
    pub(super) draining: bool,
    /// The configured ones in their order, then removed ones.
    pub(super) upstreams: Vec<UpstreamSnapshot>,
    pub(super) log: LogTotals,
    pub(super) export: ExportTotals,
    pub(super) client_memory: ClientMemoryState,
    pub(super) fleet: Option<FleetState>,
    /// Requests between this node and its peers; `None` without a tier.
    pub(super) tier: Option<TierState>,
    pub(super) peers: usize,
    pub(super) rate_services: Vec<RateServiceState>,
    pub(super) process: Process,
}

#[derive(Clone, Debug)]
pub(super) struct UpstreamSnapshot {
    pub(super) name: Arc<str>,
    pub(super) totals: Totals,
    /// `None` if it was removed from the configuration.
    pub(super) configured: Option<Configured>,
    pub(super) site: Option<SiteState>,
    pub(super) troubles: Vec<Told>,
}

/// Request counts at one moment: without the misses of sites, and with connection openings only.
#[derive(Clone, Debug)]
pub(super) struct CountsSnapshot {
    pub(super) taken: Wall,
    /// By the monotonic clock, since counting began.
    pub(super) uptime: Duration,
    pub(super) upstreams: Vec<UpstreamCounts>,
}

#[derive(Clone, Debug)]
pub(super) struct UpstreamCounts {
    pub(super) name: Arc<str>,
    /// Without the misses of a site.
    pub(super) totals: Totals,
    /// Connections opened; 0 for one that was removed from the configuration.
    pub(super) connects: u64,
}

/// Access to the state of memory held for clients.
pub trait ClientMemory: std::fmt::Debug + Send + Sync {
    fn state(&self) -> ClientMemoryState;
}

/// Memory held for clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientMemoryState {
    /// In bytes.
    pub limit: usize,
    /// In bytes.
    pub held: usize,
    /// How often a bound was reached: of a connection, of a client, of the process.
    pub reached: [u64; 3],
    /// Connections ended while memory was short, since they read the least of what was held for them.
    pub ended_slow: u64,
    /// Connections ended since they read nothing for `timeouts.idle`.
    pub ended_stalled: u64,
}

/// A rate limit service that is in use.
pub trait RateServiceView: std::fmt::Debug + Send + Sync {
    fn state(&self) -> RateServiceState;
}

/// State of a rate limit service, with counts of its calls since the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RateServiceState {
    /// Its URL, without secrets.
    pub service: String,
    /// Whether the circuit is open: it has failed so often that it is only tried now and then.
    pub is_open: bool,
    pub in_flight: u64,
    pub within: u64,
    pub over: u64,
    pub late: u64,
    /// No connection, no such service, or an unusable answer.
    pub failed: u64,
    /// Not called since the circuit is open.
    pub open: u64,
    /// Not called since too many calls waited.
    pub busy: u64,
    pub error: Option<String>,
}

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
