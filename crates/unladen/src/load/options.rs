//! The principal type is [`Options`]: what `load` was asked for, resolved; [`Limit`] is what a search is to hold.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use unladen_agent::{Host, SessionOptions};
use unladen_document::LogLines;
use unladen_load::{DriverConfig, Mix, Schedule};

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

/// Files that are written while a load runs.
#[derive(Debug, Default, Clone, clap::Args)]
pub(crate) struct Files {
    /// Write every request to a file, about 20 bytes each
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    pub(crate) record: Option<PathBuf>,
    /// Write one histogram per second, in HdrHistogram's log format
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    pub(crate) hdr_log: Option<PathBuf>,
    /// Write the distribution, in HdrHistogram's percentile format
    #[arg(long, value_name = "FILE", help_heading = "What to show")]
    pub(crate) hdr_percentiles: Option<PathBuf>,
}

impl Options {
    /// Default length of a load.
    pub(crate) const TIME: Duration = Duration::from_secs(10);
}

#[derive(Debug, Clone, PartialEq, derive_more::Display)]
#[display("{text}")]
pub(crate) struct Limit {
    text: String,
    /// 0 … 1; the mean is not supported.
    pub(crate) quantile: f64,
    pub(crate) latency: Duration,
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong =
            || format!("`{text}` is not a limit: expected a quantile, `<` and a time, such as p95<100ms or p99.9<1s");
        let (quantile, latency) = text.split_once('<').ok_or_else(wrong)?;
        let latency = latency.strip_prefix('=').unwrap_or(latency).trim();
        let percent: f64 = quantile.trim().strip_prefix('p').and_then(|p| p.parse().ok()).ok_or_else(wrong)?;
        let latency = humantime::parse_duration(latency).map_err(|_| wrong())?;
        if !(percent > 0.0 && percent < 100.0) || latency.is_zero() {
            return Err(wrong());
        }
        Ok(Self { text: text.to_owned(), quantile: percent / 100.0, latency })
    }
}

/// Most requests under way in an open loop: more than a server that keeps up ever has.
pub(crate) const MOST_UNDER_WAY: usize = 1_000;

#[cfg(test)]
mod tests;
