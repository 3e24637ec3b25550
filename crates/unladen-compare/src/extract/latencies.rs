//! Latencies of several documents.

use unladen_document::{Interval, Latencies, LatencyIntervals};

use crate::key::Key;
use crate::measured::Measured;
use crate::row::Kind;

/// For the mean and each quantile with an interval; the median is the headline.
pub(super) fn latencies(url: &str, latencies: &Latencies, intervals: &LatencyIntervals) -> Vec<(Key, Measured)> {
    intervals
        .iter()
        .filter_map(|(name, Interval { low, high })| {
            let value = *latencies.get(name)? as f64;
            let key = Key::new(Kind::Latency, url, format!("latency.{name}"), "ns");
            let measured = Measured::spanned(value, *low as f64, *high as f64);
            Some((key, Measured { headline: name == "p50", ..measured }))
        })
        .collect()
}
