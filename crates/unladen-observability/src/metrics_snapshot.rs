//! The principal type is [`MetricsSnapshot`]: all that can be seen, at one moment. [`CountsSnapshot`] is what of it can
//! be looked at often.

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

/// All that can be seen, at one moment.
#[derive(Clone, Debug)]
pub(super) struct MetricsSnapshot {
    pub(super) taken: Wall,
    /// When counting began.
    pub(super) started: Wall,
    /// From then on, by the monotonic clock.
    pub(super) uptime: Duration,
    /// Whether it is stopping.
    pub(super) draining: bool,
    /// The upstreams: those that are configured in their order, then those that were.
    pub(super) upstreams: Vec<UpstreamSnapshot>,
    /// Lines of the access log.
    pub(super) log: LogTotals,
    /// What was sent to the collector.
    pub(super) export: ExportTotals,
    /// What is held for clients.
    pub(super) client_memory: ClientMemoryState,
    /// How this node of a fleet does; none: it is in none.
    pub(super) fleet: Option<FleetState>,
    /// What this node and its peers asked each other; none: it has none.
    pub(super) tier: Option<TierState>,
    /// Other nodes that are asked how they do, while somebody looks.
    pub(super) peers: usize,
    /// How services of limits answer.
    pub(super) rate_services: Vec<RateServiceState>,
    /// What the process has used.
    pub(super) process: Process,
}

/// An upstream at one moment.
#[derive(Clone, Debug)]
pub(super) struct UpstreamSnapshot {
    pub(super) name: Arc<str>,
    /// What was counted of its requests.
    pub(super) totals: Totals,
    /// How it does; none: it was removed from the configuration.
    pub(super) configured: Option<Configured>,
    /// How it does in front of an application, if it is there.
    pub(super) site: Option<SiteState>,
    /// What went wrong, the latest first.
    pub(super) troubles: Vec<Told>,
}

/// What is counted of requests, at one moment: of sites without their misses, of connections how many were made.
#[derive(Clone, Debug)]
pub(super) struct CountsSnapshot {
    pub(super) taken: Wall,
    /// From when counting began, by the monotonic clock.
    pub(super) uptime: Duration,
    pub(super) upstreams: Vec<UpstreamCounts>,
}

/// Of an upstream.
#[derive(Clone, Debug)]
pub(super) struct UpstreamCounts {
    pub(super) name: Arc<str>,
    /// What was counted of its requests, without the misses of a site.
    pub(super) totals: Totals,
    /// Connections that were made; of one that was removed from the configuration, none.
    pub(super) connects: u64,
}
