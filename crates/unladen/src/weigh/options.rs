//! The principal type is [`Options`]: what `weigh` was asked for, resolved.

use std::time::Duration;

use unladen_agent::{Host, SessionOptions};
use unladen_load::DriverConfig;
use unladen_probe::GroupBy;

use crate::weigh::exporter::Exporter;
use crate::weigh::restart::Restart;

/// What to weigh, and how.
#[derive(Debug)]
pub(crate) struct Options {
    /// Requests and how they are sent.
    pub(crate) driver: DriverConfig,
    /// When to stop.
    pub(crate) budget: Budget,
    /// Mean length of a phase, if the user insists on one.
    pub(crate) phase: Option<Duration>,
    /// The part of an on phase after its last response, if the user insists on one.
    pub(crate) settle: Option<Duration>,
    /// Hosts whose counters are read too.
    pub(crate) hosts: Vec<Host>,
    /// How they are reached.
    pub(crate) session: SessionOptions,
    /// Exporters whose counters are read too.
    pub(crate) exporters: Vec<Exporter>,
    /// How processes are put together.
    pub(crate) group_by: GroupBy,
    /// Seed of the plan.
    pub(crate) seed: u64,
    /// Look inside the requests once they are weighed.
    pub(crate) inside: bool,
    /// Makes what answers fresh, to look at first requests too.
    pub(crate) restart: Option<Restart>,
    /// No progress line.
    pub(crate) quiet: bool,
}

/// When to stop; the first that is reached ends the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Budget {
    /// After this time.
    pub(crate) time: Option<Duration>,
    /// After this many requests of each URL.
    pub(crate) requests: Option<u64>,
    /// When the largest CPU weight's interval is this narrow, as a share of the weight.
    pub(crate) until: Option<f64>,
}

impl Budget {
    /// Unless told otherwise.
    pub(crate) const TIME: Duration = Duration::from_secs(30);
    /// With `--until`, unless told otherwise.
    pub(crate) const MOST_TIME_UNTIL: Duration = Duration::from_secs(300);
    /// The longest run for which no time was given, however long its phases have to be: who waits longer has said so.
    pub(crate) const MOST_TIME: Duration = Duration::from_secs(600);
}
