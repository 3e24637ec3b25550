//! The principal type is [`Exposition`]: all samples of one answer.

use std::borrow::Cow;

use crate::error::ParseError;
use crate::kind::Kind;

/// All samples of one answer, in order. It borrows the answer's bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Exposition<'a> {
    /// Each has a line or a sample.
    pub families: Vec<MetricFamily<'a>>,
    pub samples: Vec<Sample<'a>>,
    pub left_out: Option<LeftOut>,
}

/// Lines of an answer that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub lines: usize,
    pub first: ParseError,
}

/// A metric family.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricFamily<'a> {
    /// In OpenMetrics without `_total`.
    pub name: &'a str,
    pub kind: Kind,
    pub help: Option<Cow<'a, str>>,
    /// OpenMetrics only.
    pub unit: Option<&'a str>,
}

/// One sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample<'a> {
    pub family: usize,
    /// With `_total`, `_bucket` and so on.
    pub name: &'a str,
    pub labels: Vec<(&'a str, Cow<'a, str>)>,
    pub value: f64,
    /// Time of the value, in milliseconds since 1970, if the exporter says.
    pub timestamp_ms: Option<i64>,
    /// OpenMetrics only.
    pub exemplar: Option<Exemplar<'a>>,
}

/// An example of what was counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Exemplar<'a> {
    /// For example the id of a trace.
    pub labels: Vec<(&'a str, Cow<'a, str>)>,
    pub value: f64,
    /// In milliseconds since 1970.
    pub timestamp_ms: Option<i64>,
}
