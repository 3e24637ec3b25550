//! The principal type is [`Family`]: a metric with its points, which the formats are written from.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::exemplar::Exemplar;
use crate::histogram::{BUCKETS, HistogramTotals};
use crate::metrics_snapshot::UpstreamSnapshot;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) unit: Unit,
    pub(crate) shape: Shape,
    pub(crate) help: &'static str,
    pub(crate) points: Vec<Point>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Seconds,
    Bytes,
    Of(&'static str),
}

/// How points of different times relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Counter,
    /// Rises and falls, and can be added across processes.
    UpDown,
    Gauge,
    /// Durations by bucket; counts only rise.
    Histogram,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) attributes: Attributes,
    pub(crate) value: Amount,
    /// `None` if none were sampled.
    pub(crate) exemplars: Option<Box<Examples>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Examples {
    Last(Exemplar),
    Buckets(Box<[Option<Exemplar>; BUCKETS]>),
}

pub(crate) type Attributes = Vec<(&'static str, Cow<'static, str>)>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    Whole(u64),
    Real(f64),
    Histogram(HistogramTotals),
}

pub(super) fn upstream_of(upstream: &UpstreamSnapshot) -> (&'static str, Cow<'static, str>) {
    ("upstream", upstream.name.to_string().into())
}

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
    /// The metric of that name in `metrics.txt`; a test ensures that it exists.
    pub(super) fn of(name: &'static str, points: Vec<Point>) -> Self {
        let unlisted = Metric { name, unit: Unit::Of("1"), shape: Shape::Gauge, help: "" };
        let metric = METRICS.iter().find(|metric| metric.name == name).copied().unwrap_or(unlisted);
        Self { name, unit: metric.unit, shape: metric.shape, help: metric.help, points }
    }

    /// A metric with one point without attributes.
    pub(super) fn one(name: &'static str, n: u64) -> Self {
        Self::of(name, vec![Point::whole(vec![], n)])
    }

    /// Likewise in seconds; without a point if `None`.
    pub(super) fn seconds(name: &'static str, seconds: impl Into<Option<f64>>) -> Self {
        Self::of(name, seconds.into().map(|seconds| Point::real(vec![], seconds)).into_iter().collect())
    }

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

    pub(crate) fn like(self, exemplars: Option<Examples>) -> Self {
        Self { exemplars: exemplars.map(Box::new), ..self }
    }
}
