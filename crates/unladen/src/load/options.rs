//! The principal type is [`Options`]: what `load` was asked for, resolved.

use std::path::PathBuf;
use std::time::Duration;

use unladen_agent::{Host, SessionOptions};
use unladen_document::LogLines;
use unladen_load::{DriverConfig, Mix, Schedule};

use crate::load::limit::Limit;

/// What to send, and how.
#[derive(Debug)]
pub(crate) struct Options {
    /// Requests and connections.
    pub(crate) driver: DriverConfig,
    /// Which request comes how often.
    pub(crate) mix: Mix,
    /// What was asked for, in words.
    pub(crate) target: String,
    /// Where they are of an access log, what became of its lines.
    pub(crate) access_log: Option<LogLines>,
    /// When requests are sent.
    pub(crate) pace: Pace,
    /// The most requests under way at once; in a closed loop always so many.
    pub(crate) concurrency: usize,
    /// The end of a closed loop, or of a single rate.
    pub(crate) time: Option<Duration>,
    /// The end, in requests.
    pub(crate) requests: Option<u64>,
    /// A limit that the latency has to hold.
    pub(crate) limit: Option<Limit>,
    /// Look for the highest rate that holds the limit, from the schedule's rate on.
    pub(crate) find_capacity: bool,
    /// The times of which the share of requests within is told.
    pub(crate) buckets: Vec<Duration>,
    /// Repeats arrivals and mix.
    pub(crate) seed: u64,
    /// Where else to write while it runs.
    pub(crate) files: Files,
    /// Where it is sent from; empty for this host.
    pub(crate) hosts: Vec<Host>,
    /// How agents are started there.
    pub(crate) sessions: SessionOptions,
    /// No progress line.
    pub(crate) quiet: bool,
}

/// When requests are sent.
#[derive(Debug, Clone)]
pub(crate) enum Pace {
    /// When the one before is done.
    Closed,
    /// When it is planned.
    Open(Schedule),
}

/// Files that are written while a load runs.
#[derive(Debug, Default, Clone)]
pub(crate) struct Files {
    /// Every request, see docs/reference/records.md.
    pub(crate) record: Option<PathBuf>,
    /// Histograms second by second, as HdrHistogram's log.
    pub(crate) hdr_log: Option<PathBuf>,
    /// The distribution, as HdrHistogram's percentiles.
    pub(crate) hdr_percentiles: Option<PathBuf>,
}

impl Options {
    /// The end of a load that nothing else ends.
    pub(crate) const TIME: Duration = Duration::from_secs(10);
}
