//! Makes the table of quantiles from latencies in blocks.

use unladen_lockin::{BlockLatencies, samples_needed};
use unladen_report::{Latency, LatencyQuantile};

pub(crate) const QUANTILES: [(&str, f64); 5] =
    [("p50", 0.50), ("p75", 0.75), ("p90", 0.90), ("p95", 0.95), ("p99", 0.99)];

/// One more for loads: a weighing has too few requests for it.
pub(crate) const LOAD_QUANTILES: [(&str, f64); 6] =
    [("p50", 0.50), ("p75", 0.75), ("p90", 0.90), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999)];

/// Default bounds, in ms, for which the share of faster requests is reported.
pub(crate) const BUCKETS_MS: [u64; 12] = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

/// `None` without latencies.
pub(crate) fn latency(latencies: &BlockLatencies, wanted: &[(&'static str, f64)]) -> Option<Latency> {
    let shares: Vec<f64> = wanted.iter().map(|(_, q)| *q).collect();
    let quantiles = latencies.quantiles(&shares)?;
    Some(Latency {
        mean: latencies.mean(),
        mean_interval: latencies.mean_interval(),
        sd: latencies.sd(),
        max: latencies.max(),
        quantiles: wanted
            .iter()
            .zip(quantiles)
            .map(|((name, q), quantile)| LatencyQuantile {
                name,
                value: quantile.value,
                interval: quantile.interval,
                needs: samples_needed(*q),
            })
            .collect(),
    })
}
