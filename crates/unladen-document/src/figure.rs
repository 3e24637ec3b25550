//! Figures that several documents share, and [`Ordered`], an object that keeps the order of its fields.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use unladen_quantity::{Span, grouped};

/// `mean`, `sd`, `p50`, `p75`, `p90`, `p95`, `p99`, `p999`, `max` → ns.
pub type Latencies = BTreeMap<String, u64>;

/// 95 % intervals in ns, for the mean and the quantiles that have one.
pub type LatencyIntervals = BTreeMap<String, Interval>;

/// A figure and its 95 % interval, whose ends are null if the data do not support one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct OpenSpan {
    /// The figure.
    #[serde(serialize_with = "number")]
    pub value: f64,
    /// Lower end.
    #[serde(serialize_with = "optional_number")]
    pub low: Option<f64>,
    /// Upper end.
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Interval {
    pub low: u64,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ordered<T>(pub Vec<(String, T)>);

impl<T> Ordered<T> {
    /// The value with this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.iter().find_map(|(of, value)| (of == name).then_some(value))
    }

    /// Names and values, in the document's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether it has no fields.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Ordered<u64> {
    /// Answers by status, as every text writes them: `116 × 200, 34 × 503`.
    pub fn statuses_text(&self) -> String {
        let one = |(status, count): (&str, &u64)| format!("{} × {status}", grouped(*count as f64, 0));
        self.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

impl<T> FromIterator<(String, T)> for Ordered<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(fields: I) -> Self {
        Self(fields.into_iter().collect())
    }
}

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Serialize> Serialize for Ordered<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Ordered(fields))
            }
        }

        deserializer.deserialize_map(Fields(PhantomData))
    }
}
