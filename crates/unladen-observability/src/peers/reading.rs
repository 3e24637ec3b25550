//! The principal type is [`Reading`]: another node's metrics at one moment. [`Reading::of`] parses its answer,
//! [`Reading::since`] compares two of them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use unladen_exporter::{Exposition, Format, ParseError, Sample};

use crate::CacheResult;
use crate::histogram::{BOUNDS, BUCKETS};

const VERSION: usize = 32;

/// The displayed part of another node's metrics. Numbers are totals since its start, and unverified: a peer may send
/// anything.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    taken: Instant,
    version: String,
    started: f64,
    below: [f64; BUCKETS],
    requests: f64,
    failed: f64,
    /// Site requests without files and own answers: those from memory, and all.
    saved: f64,
    asked: f64,
    is_draining: bool,
    /// In a fleet: whether it is connected, and its pending purges.
    is_connected: Option<bool>,
    lag: Option<f64>,
}

impl Reading {
    pub(super) fn of(body: &[u8], taken: Instant) -> Result<Self, ParseError> {
        let exposition = Exposition::parse(body, Format::of(Some("text/plain; version=0.0.4")))?;
        let mut reading = Self {
            taken,
            version: String::new(),
            started: 0.0,
            below: [0.0; BUCKETS],
            requests: 0.0,
            failed: 0.0,
            saved: 0.0,
            asked: 0.0,
            is_draining: false,
            is_connected: None,
            lag: None,
        };
        for sample in &exposition.samples {
            reading.take(sample);
        }
        Ok(reading)
    }

    pub(super) fn is_recent(&self, within: Duration) -> bool {
        self.taken.elapsed() <= within
    }

    fn take(&mut self, sample: &Sample<'_>) {
        let label = |name| sample.labels.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| &**value);
        let n = sample.value;
        match sample.name {
            "http_server_request_duration_seconds_bucket" => {
                // Another version may have other bounds: each counts for the next one of ours.
                let Ok(le) = label("le").parse::<f64>() else { return };
                let bucket = BOUNDS.iter().position(|&bound| le <= bound as f64 / 1e9).unwrap_or(BOUNDS.len());
                self.below[bucket] += n;
            }
            "http_server_request_duration_seconds_count" => self.requests += n,
            "unladen_requests_total" if matches!(label("end"), "broken" | "local_reply") => self.failed += n,
            "unladen_site_requests_total" => {
                let result = CacheResult::ALL.iter().copied().find(|result| result.into_str() == label("result"));
                match result {
                    Some(CacheResult::File | CacheResult::Own) | None => {}
                    Some(result) => {
                        self.asked += n;
                        self.saved += if result.is_saved() { n } else { 0.0 };
                    }
                }
            }
            "unladen_draining" => self.is_draining = n > 0.0,
            "unladen_fleet_connected" => self.is_connected = Some(n > 0.0),
            "unladen_fleet_lag" => self.lag = Some(n),
            "unladen_build_info" => self.version = label("version").chars().take(VERSION).collect(),
            "process_start_time_seconds" => self.started = n,
            _ => {}
        }
    }

    /// The displayed values; rates since `before`, if it is still the same process.
    pub(super) fn since(&self, before: Option<&Self>) -> Value {
        let before = before.filter(|before| (before.started - self.started).abs() < 1.0);
        let length = before.map(|before| self.taken.saturating_duration_since(before.taken));
        let seconds = length.filter(|length| *length >= Duration::from_millis(100)).map(|length| length.as_secs_f64());
        let grown = |read: fn(&Self) -> f64| {
            let growth = before.map(|before| read(self) - read(before));
            growth.filter(|growth| growth.is_finite()).map(|growth| growth.max(0.0))
        };
        let rate = |read| Some(grown(read)? / seconds?);
        let share = |part: Option<f64>, of: Option<f64>| Some(part? / of.filter(|of| *of > 0.0)?);
        let p99 = before.and_then(|before| self.quantile(before, 0.99));
        json!({
            "version": self.version,
            "draining": self.is_draining,
            "requests_per_second": finite(rate(|reading| reading.requests)),
            "failed_per_second": finite(rate(|reading| reading.failed)),
            "from_memory": finite(share(grown(|reading| reading.saved), grown(|reading| reading.asked))),
            "p99_over_ns": p99.map(|(over, _)| over),
            "p99_ns": p99.and_then(|(_, most)| most),
            "connected": self.is_connected,
            "lag": finite(self.lag),
        })
    }

    /// Bounds of the quantile's bucket in ns, the upper one `None` for the last; `None` without requests. The position
    /// within it is unknown.
    fn quantile(&self, before: &Self, q: f64) -> Option<(u64, Option<u64>)> {
        let below: Vec<f64> = self.below.iter().zip(before.below).map(|(now, then)| (now - then).max(0.0)).collect();
        let all = *below.last()?;
        let wanted = Some(all * q).filter(|wanted| wanted.is_finite() && *wanted > 0.0)?;
        let bucket = below.iter().position(|n| *n >= wanted)?;
        let over = bucket.checked_sub(1).and_then(|one| BOUNDS.get(one)).copied().unwrap_or(0);
        Some((over, BOUNDS.get(bucket).copied()))
    }
}

/// A peer may send `NaN`, `+Inf` or negative numbers, which are not shown.
fn finite(x: Option<f64>) -> Option<f64> {
    x.filter(|x| x.is_finite() && *x >= 0.0)
}

#[cfg(test)]
mod tests;
