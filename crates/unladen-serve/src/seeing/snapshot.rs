//! The principal type is [`Snapshot`]: all that can be seen, at one moment.

use std::sync::Arc;
use std::time::Duration;

use super::access_log::LogTotals;
use super::fronts::FrontState;
use super::metrics::Totals;
use super::otlp::ExportTotals;
use super::process::Process;
use super::upstreams::Configured;
use super::wall::Wall;

/// All that can be seen, at one moment.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    /// When it was taken.
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
    /// What the process has used.
    pub(super) process: Process,
}

/// An upstream at one moment.
#[derive(Clone, Debug)]
pub(super) struct UpstreamSnapshot {
    /// Its name.
    pub(super) name: Arc<str>,
    /// What was counted of its requests.
    pub(super) totals: Totals,
    /// How it does; none: it was removed from the configuration.
    pub(super) configured: Option<Configured>,
    /// How it does in front of an application, if it is there.
    pub(super) front: Option<FrontState>,
}
