//! The principal type is [`Family`]: a metric with its points, which the formats are written from.

use std::borrow::Cow;
use std::sync::LazyLock;

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

/// What `metrics.txt` says of a metric.
#[derive(Clone, Copy, Debug)]
pub(super) struct Metric {
    pub(super) name: &'static str,
    unit: Unit,
    shape: Shape,
    help: &'static str,
}

pub(super) static METRICS: LazyLock<Vec<Metric>> = LazyLock::new(|| {
    let paragraphs = include_str!("metrics.txt").split("\n\n").skip(1);
    paragraphs.filter_map(|paragraph| Metric::of(paragraph.trim_end())).collect()
});

impl Metric {
    fn of(paragraph: &'static str) -> Option<Self> {
        let (head, help) = paragraph.split_once('\n')?;
        let mut words = head.split(' ');
        let name = words.next()?;
        let shape = match words.next()? {
            "counter" => Shape::Counter,
            "updown" => Shape::UpDown,
            "gauge" => Shape::Gauge,
            "histogram" => Shape::Histogram,
            _ => return None,
        };
        let unit = match words.next()? {
            "s" => Unit::Seconds,
            "By" => Unit::Bytes,
            thing => Unit::Of(thing),
        };
        Some(Self { name, unit, shape, help })
    }
}

impl Family {
    /// The metric of that name in `metrics.txt`; a test holds that it is there.
    pub(super) fn of(name: &'static str, points: Vec<Point>) -> Self {
        let unlisted = Metric { name, unit: Unit::Of("1"), shape: Shape::Gauge, help: "" };
        let metric = METRICS.iter().find(|metric| metric.name == name).copied().unwrap_or(unlisted);
        Self { name, unit: metric.unit, shape: metric.shape, help: metric.help, points }
    }

    /// A metric with one point that has no attributes.
    pub(super) fn one(name: &'static str, n: u64) -> Self {
        Self::of(name, vec![Point::whole(vec![], n)])
    }

    /// The same of seconds; without a point if there are none.
    pub(super) fn seconds(name: &'static str, seconds: impl Into<Option<f64>>) -> Self {
        Self::of(name, seconds.into().map(|seconds| Point::real(vec![], seconds)).into_iter().collect())
    }

    /// A metric whose points differ in one attribute.
    pub(super) fn by<const N: usize>(name: &'static str, key: &'static str, values: [(&'static str, u64); N]) -> Self {
        Self::of(name, values.map(|(value, n)| Point::whole(vec![(key, value.into())], n)).into())
    }
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
