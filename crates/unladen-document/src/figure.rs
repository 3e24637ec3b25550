//! Figures that several documents share, and [`Ordered`], an object that keeps the order of its fields.

use std::collections::BTreeMap;
use std::time::Duration;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use unladen_quantity::{Span, grouped};

/// `mean`, `sd`, `p50`, `p75`, `p90`, `p95`, `p99`, `p999`, `max` → ns.
pub type Latencies = BTreeMap<String, u64>;

/// 95 % intervals in ns, for the mean and the quantiles that have one.
pub type LatencyIntervals = BTreeMap<String, Interval>;

/// A figure and its 95 % interval, whose ends are null if the data do not support one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct OpenSpan {
    /// The figure, in the unit of the field that holds it.
    #[serde(serialize_with = "number")]
    pub value: f64,
    /// Lower end of the interval.
    #[serde(serialize_with = "optional_number")]
    pub low: Option<f64>,
    /// Upper end of the interval.
    #[serde(serialize_with = "optional_number")]
    pub high: Option<f64>,
}

impl OpenSpan {
    /// With its interval, if it has one.
    pub fn closed(self) -> Option<Span> {
        Some(Span { value: self.value, low: self.low?, high: self.high? })
    }
}

/// A 95 % interval in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Interval {
    /// Lower end, in ns.
    pub low: u64,
    /// Upper end, in ns.
    pub high: u64,
}

/// Nanoseconds, as documents have durations.
pub fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The largest integer up to which every one is an `f64`.
const MOST_WHOLE: f64 = (1_u64 << 53) as f64;

/// Writes a whole number as an integer, as durations in ns are, and any other as it is.
pub(crate) fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 && value.abs() < MOST_WHOLE {
        serializer.serialize_i64(*value as i64)
    } else {
        serializer.serialize_f64(*value)
    }
}

/// The same of what may be null.
pub(crate) fn optional_number<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => number(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// An object whose names are data, in the document's order: buckets of latency, kinds of errors.
pub type Ordered<T> = IndexMap<String, T>;

/// Answers by status, as every text writes them: `116 × 200, 34 × 503`.
pub fn statuses_text(statuses: &Ordered<u64>) -> String {
    let one = |(status, count): (&String, &u64)| format!("{} × {status}", grouped(*count as f64, 0));
    statuses.iter().map(one).collect::<Vec<_>>().join(", ")
}
