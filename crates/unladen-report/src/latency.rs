//! The principal type is [`Latency`]: latencies of a document, as tables and pictures have them.

use unladen_document::{Interval, Latencies, LatencyIntervals};
use unladen_lockin::samples_needed;

/// Key in documents, name in tables and share of each quantile, in the order of tables.
const QUANTILES: [(&str, &str, f64); 6] = [
    ("p50", "p50", 0.5),
    ("p75", "p75", 0.75),
    ("p90", "p90", 0.9),
    ("p95", "p95", 0.95),
    ("p99", "p99", 0.99),
    ("p999", "p99.9", 0.999),
];

/// Latencies in ns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Latency {
    pub(crate) mean: f64,
    pub(crate) mean_interval: Option<Interval>,
    /// Standard deviation: the spread of requests, not an interval.
    pub(crate) sd: f64,
    pub(crate) max: u64,
    pub(crate) quantiles: Vec<LatencyQuantile>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LatencyQuantile {
    pub(crate) name: &'static str,
    pub(crate) share: f64,
    pub(crate) value: u64,
    /// `None` if there are too few requests for one.
    pub(crate) interval: Option<Interval>,
    /// Requests needed for an interval.
    pub(crate) needs: u64,
}

impl Latency {
    /// `None` if a document has none.
    pub(crate) fn of(values: &Latencies, intervals: &LatencyIntervals) -> Option<Self> {
        let of = |key: &str| values.get(key).copied();
        let quantiles = QUANTILES.into_iter().filter_map(|(key, name, share)| {
            let interval = intervals.get(key).copied();
            Some(LatencyQuantile { name, share, value: of(key)?, interval, needs: samples_needed(share) })
        });
        Some(Self {
            mean: of("mean")? as f64,
            mean_interval: intervals.get("mean").copied(),
            sd: of("sd")? as f64,
            max: of("max")?,
            quantiles: quantiles.collect(),
        })
    }

    pub(crate) fn quantile(&self, name: &str) -> Option<&LatencyQuantile> {
        self.quantiles.iter().find(|quantile| quantile.name == name)
    }
}
