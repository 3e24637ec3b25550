//! The principal type is [`Family`]: a metric with its points, which the formats are written from.

use std::borrow::Cow;

use crate::exemplar::Exemplar;
use crate::histogram::{BUCKETS, HistogramTotals};
use crate::metrics_snapshot::UpstreamSnapshot;

/// A metric with its points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Family {
    /// With dots, as OpenTelemetry writes it.
    pub(crate) name: &'static str,
    /// What a point counts.
    pub(crate) unit: Unit,
    /// How points of different times relate.
    pub(crate) shape: Shape,
    /// What it is, in a sentence.
    pub(crate) help: &'static str,
    /// Each with other attributes.
    pub(crate) points: Vec<Point>,
}

/// What a point counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Seconds,
    Bytes,
    /// Things: `{request}`.
    Of(&'static str),
}

/// How points of different times relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// They rise.
    Counter,
    /// They rise and fall, and those of several processes can be added.
    UpDown,
    /// They rise and fall.
    Gauge,
    /// Durations by bucket, which rise.
    Histogram,
}

/// A metric of one thing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// Which thing.
    pub(crate) attributes: Attributes,
    pub(crate) value: Amount,
    /// Requests that are examples of it; none: none were sampled.
    pub(crate) exemplars: Option<Box<Examples>>,
}

/// Requests that are examples of what a point counts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Examples {
    /// Of a counter, the last one.
    Last(Exemplar),
    /// Of a histogram, by bucket.
    Buckets(Box<[Option<Exemplar>; BUCKETS]>),
}

/// Names, with dots, and values.
pub(crate) type Attributes = Vec<(&'static str, Cow<'static, str>)>;

/// How much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    Whole(u64),
    Real(f64),
    /// By bucket.
    Histogram(HistogramTotals),
}

/// The attribute that says whose a point is.
pub(super) fn upstream_of(upstream: &UpstreamSnapshot) -> (&'static str, Cow<'static, str>) {
    ("upstream", upstream.name.to_string().into())
}

impl Point {
    pub(crate) fn whole(attributes: Attributes, n: u64) -> Self {
        Self { attributes, value: Amount::Whole(n), exemplars: None }
    }

    pub(super) fn real(attributes: Attributes, x: f64) -> Self {
        Self { attributes, value: Amount::Real(x), exemplars: None }
    }

    pub(crate) fn histogram(attributes: Attributes, totals: HistogramTotals) -> Self {
        Self { attributes, value: Amount::Histogram(totals), exemplars: None }
    }

    /// With these examples, if there are some.
    pub(crate) fn like(self, exemplars: Option<Examples>) -> Self {
        Self { exemplars: exemplars.map(Box::new), ..self }
    }
}
