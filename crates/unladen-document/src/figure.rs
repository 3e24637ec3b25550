//! Figures that several documents share.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `mean`, `sd`, `p50`, `p75`, `p90`, `p95`, `p99`, `p999`, `max` → ns.
pub type Latencies = BTreeMap<String, u64>;

/// 95 % intervals in ns, for the mean and the quantiles that have one.
pub type LatencyIntervals = BTreeMap<String, Interval>;

/// A figure and its 95 % interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Span {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// A figure and its 95 % interval, whose ends are null if the data do not support one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct OpenSpan {
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// A 95 % interval in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Interval {
    pub low: u64,
    pub high: u64,
}
