//! Figures that several schemas share.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use unladen_lockin::Estimate;
use unladen_quantity::Span;

use crate::latency::Latency;

#[derive(Serialize)]
pub(super) struct EstimateJson {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

#[derive(Serialize)]
pub(super) struct SpanJson {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

#[derive(Serialize)]
pub(super) struct IntervalJson {
    pub(super) low: u64,
    pub(super) high: u64,
}

/// A number with or without decimals.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Number {
    Whole(i64),
    Real(f64),
}

impl Number {
    /// Rounds; null if not finite.
    pub(super) fn whole(value: f64) -> Self {
        if value.is_finite() { Self::Whole(value.round() as i64) } else { Self::Real(value) }
    }
}

/// An object that keeps the order of its fields.
pub(super) struct Ordered<T>(pub(super) Vec<(String, T)>);

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

pub(super) fn latency(latency: Option<&Latency>) -> BTreeMap<String, u64> {
    let Some(latency) = latency else { return BTreeMap::new() };
    let mut values: BTreeMap<_, _> =
        latency.quantiles.iter().map(|quantile| (key(quantile.name), quantile.value)).collect();
    values.insert("mean".into(), latency.mean.round() as u64);
    values.insert("sd".into(), latency.sd.round() as u64);
    values.insert("max".into(), latency.max);
    values
}

/// `p999` for `p99.9`, since a dot would split the field's name.
fn key(name: &str) -> String {
    name.replace('.', "")
}

/// For the mean and the quantiles that have one.
pub(super) fn intervals(latency: Option<&Latency>) -> BTreeMap<String, IntervalJson> {
    let Some(latency) = latency else { return BTreeMap::new() };
    let of = |name, (low, high)| (key(name), IntervalJson { low, high });
    let quantiles =
        latency.quantiles.iter().filter_map(|quantile| quantile.interval.map(|ends| of(quantile.name, ends)));
    let mean = latency.mean_interval.map(|(low, high)| of("mean", (low.round() as u64, high.round() as u64)));
    quantiles.chain(mean).collect()
}

pub(super) fn nanos(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

impl From<Estimate> for EstimateJson {
    fn from(estimate: Estimate) -> Self {
        Self { value: estimate.value, low: estimate.low, high: estimate.high }
    }
}

impl From<Span> for SpanJson {
    fn from(span: Span) -> Self {
        Self { value: span.value, low: span.low, high: span.high }
    }
}
