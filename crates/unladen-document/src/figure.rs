//! Figures that several documents share.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `mean`, `sd`, `p50`, `p75`, `p90`, `p95`, `p99`, `p999`, `max` → ns.
pub type Latencies = BTreeMap<String, u64>;

/// Of the mean and of the quantiles that carry one: the 95 % interval in ns.
pub type LatencyIntervals = BTreeMap<String, Interval>;

/// A figure and its 95 % interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Span {
    /// The figure.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A figure and its 95 % interval, whose ends are null where the data carry none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct OpenSpan {
    /// The figure.
    pub value: f64,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// A 95 % interval in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Interval {
    /// Lower end.
    pub low: u64,
    /// Upper end.
    pub high: u64,
}
