//! The principal type is [`Options`]: what `load` was asked for, resolved.

use std::path::PathBuf;
use std::time::Duration;

use unladen_agent::{Host, SessionOptions};
use unladen_document::LogLines;
use unladen_load::{DriverConfig, Mix, Schedule};

use crate::load::limit::Limit;

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) driver: DriverConfig,
    pub(crate) mix: Mix,
    /// What was asked for, in words.
    pub(crate) target: String,
    /// If the requests come from an access log: counts of its lines.
    pub(crate) access_log: Option<LogLines>,
    pub(crate) pace: Pace,
    /// Most requests under way at once; in a closed loop, exactly this many.
    pub(crate) concurrency: usize,
    /// The end of a closed loop, or of a single rate.
    pub(crate) time: Option<Duration>,
    /// The end, in requests.
    pub(crate) requests: Option<u64>,
    pub(crate) limit: Option<Limit>,
    /// Search for the highest rate within the limit, from the schedule's rate on.
    pub(crate) find_capacity: bool,
    /// Bounds for which the share of faster requests is reported.
    pub(crate) buckets: Vec<Duration>,
    /// Seeds arrivals and mix.
    pub(crate) seed: u64,
    pub(crate) files: Files,
    /// Sending hosts; empty for this one.
    pub(crate) hosts: Vec<Host>,
    pub(crate) sessions: SessionOptions,
    pub(crate) quiet: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Pace {
    /// When the one before is done.
    Closed,
    /// When planned.
    Open(Schedule),
}

#[derive(Debug, Default, Clone)]
pub(crate) struct Files {
    /// Every request, see docs/reference/records.md.
    pub(crate) record: Option<PathBuf>,
    /// A histogram a second, as HdrHistogram's log.
    pub(crate) hdr_log: Option<PathBuf>,
    /// The distribution, as HdrHistogram's percentiles.
    pub(crate) hdr_percentiles: Option<PathBuf>,
}

impl Options {
    /// Default length of a load.
    pub(crate) const TIME: Duration = Duration::from_secs(10);
}
