//! [`cumulative`]: which samples only grow.

use crate::exposition::Sample;
use crate::kind::Kind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Basis {
    /// By its type.
    Told,
    /// Its type is unknown: it counts until it goes down. mysqld_exporter exports most of the server's status so.
    Presumed,
}

/// Whether a sample only grows: counters, and a histogram's or summary's count, sum and buckets, not quantiles.
pub(crate) fn cumulative(kind: Kind, family: &str, sample: &Sample<'_>) -> Option<Basis> {
    // A summary's sum is NaN before its first observation.
    if !sample.value.is_finite() || sample.value < 0.0 {
        return None;
    }
    let suffix = sample.name.strip_prefix(family)?;
    let is_told = match kind {
        Kind::Counter => matches!(suffix, "" | "_total"),
        Kind::Histogram => matches!(suffix, "_bucket" | "_count" | "_sum"),
        Kind::Summary => matches!(suffix, "_count" | "_sum"),
        Kind::Unknown => return Some(Basis::Presumed),
        Kind::Gauge | Kind::Info | Kind::StateSet | Kind::GaugeHistogram => false,
    };
    is_told.then_some(Basis::Told)
}
