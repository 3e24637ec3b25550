//! Makes the table of quantiles from latencies in blocks.

use unladen_document::{Interval, Latencies, LatencyIntervals};
use unladen_lockin::BlockLatencies;

pub(crate) const QUANTILES: [(&str, f64); 5] =
    [("p50", 0.50), ("p75", 0.75), ("p90", 0.90), ("p95", 0.95), ("p99", 0.99)];

/// One more for loads: a weighing has too few requests for it.
pub(crate) const LOAD_QUANTILES: [(&str, f64); 6] =
    [("p50", 0.50), ("p75", 0.75), ("p90", 0.90), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999)];

/// Default bounds, in ms, for which the share of faster requests is reported.
pub(crate) const BUCKETS_MS: [u64; 12] = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

/// As documents have them, with the intervals of those that carry one; nothing without latencies.
pub(crate) fn latency(latencies: &BlockLatencies, wanted: &[(&str, f64)]) -> (Latencies, LatencyIntervals) {
    let shares: Vec<f64> = wanted.iter().map(|(_, q)| *q).collect();
    let Some(quantiles) = latencies.quantiles(&shares) else { return Default::default() };
    let (mut values, mut intervals) = (Latencies::new(), LatencyIntervals::new());
    for ((name, _), quantile) in wanted.iter().zip(quantiles) {
        // A dot would split the field's name.
        let key = name.replace('.', "");
        intervals.extend(quantile.interval.map(|(low, high)| (key.clone(), Interval { low, high })));
        values.insert(key, quantile.value);
    }
    let ns = |value: f64| value.round() as u64;
    let mean = latencies.mean_interval().map(|(low, high)| Interval { low: ns(low), high: ns(high) });
    intervals.extend(mean.map(|ends| ("mean".to_owned(), ends)));
    values.extend(
        [("mean", ns(latencies.mean())), ("sd", ns(latencies.sd())), ("max", latencies.max())]
            .map(|(name, ns)| (name.to_owned(), ns)),
    );
    (values, intervals)
}
