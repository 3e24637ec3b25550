//! The principal type is [`MetricsSnapshot`]: the complete state at one moment. [`CountsSnapshot`] is the part that is
//! cheap to read.

use std::sync::Arc;
use std::time::Duration;

use unladen_fleet::FleetState;

use super::access_log::LogTotals;
use super::metrics::Totals;
use super::otlp::ExportTotals;
use super::process::Process;
use super::rate_services::RateServiceState;
use super::sites::SiteState;
use super::tier_counts::TierState;
use super::troubles::Told;
use super::upstreams::Configured;
use super::wall::Wall;
use crate::client_memory::ClientMemoryState;

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
